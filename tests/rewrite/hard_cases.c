/* Small programs at the edges of C, for every style. Each begins with a line of its own: its name, then what becomes
   of its partitioned arrays under bankdim and under crossbar: "rewritten", or the code of the refusal. "@" in a name is
   the number of the program. int f@(int n) is free of warnings and of undefined behaviour for 0 <= n <= 3. */
//// unsigned iterator wraps: rewritten; rewritten
int f@(int n) {
 int A[40], s = 0;
#pragma HLS array_partition variable=A cyclic factor=3
 for (int i = 0; i < 40; i++) A[i] = i * n + 1;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  for (unsigned j = 0; j < 3; j++) { if (j - 1 < 2) s += A[3 * i + j + 7]; } }
 return s; }
//// size of a narrow iterator: rewritten; rewritten
int f@(int n) {
 int A[40], s = 0;
#pragma HLS array_partition variable=A cyclic factor=3
 for (int i = 0; i < 40; i++) A[i] = i * n + 1;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  for (short j = 0; j < 3; j++) { s += (int)sizeof j + (int)sizeof(j); s += A[3 * i + j + 7]; } }
 return s; }
//// char iterator: rewritten; rewritten
int f@(int n) {
 int A[40], s = 0;
#pragma HLS array_partition variable=A cyclic factor=3
 for (int i = 0; i < 40; i++) A[i] = i * n + 1;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  for (unsigned char j = 0; j < 3; j++) { s += A[3 * i + (int)j] * (int)sizeof(char[sizeof j]); } }
 return s; }
//// long arithmetic: rewritten; rewritten
int f@(int n) {
 int A[40], s = 0;
#pragma HLS array_partition variable=A cyclic factor=3
 for (int i = 0; i < 40; i++) A[i] = i * n + 1;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  for (long j = 0; j < 3; j++) { s += (int)((j + 2147483647) >> 20) + A[3 * i + (int)j]; } }
 return s; }
//// unsigned long iterator: rewritten; rewritten
int f@(int n) {
 int A[40], s = 0;
#pragma HLS array_partition variable=A cyclic factor=3
 for (int i = 0; i < 40; i++) A[i] = i * n + 1;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  for (unsigned long j = 0; j < 3; j++) { s += (j - 1 > 5) + (~j > 9) + A[3 * i + (int)j]; } }
 return s; }
//// long long iterator: rewritten; rewritten
int f@(int n) {
 int A[40], s = 0;
#pragma HLS array_partition variable=A cyclic factor=3
 for (int i = 0; i < 40; i++) A[i] = i * n + 1;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  for (long long j = 0; j < 3; j++) { s += (int)((j << 33) >> 32) + A[3 * i + (int)j]; } }
 return s; }
//// iterator in macros: rewritten; rewritten
#define NAME@(x) #x
#define TWICE@(x) ((x) + (x))
#define J@ j
int f@(int n) {
 int A[40], s = 0;
#pragma HLS array_partition variable=A cyclic factor=3
 for (int i = 0; i < 40; i++) A[i] = i * n + 1;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  for (unsigned j = 0; j < 3; j++) { s += NAME@(j)[0] + TWICE@(j) + (J@ - 1 > 7); s += A[3 * i + j + 7]; } }
 return s; }
//// iterator pasted: rewritten; rewritten
#define PASTE@(a, b) a##b
int f@(int n) {
 int A[40], s = 0;
#pragma HLS array_partition variable=A cyclic factor=3
 for (int i = 0; i < 40; i++) A[i] = i * n + 1;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  for (int j = 0; j < 3; j++) { int j1 = n; s += PASTE@(j, 1); s += A[3 * i + j + 7]; } }
 return s; }
//// enumeration as iterator: rewritten; rewritten
enum e@ { X@, Y@, Z@, W@ };
int f@(int n) {
 int A[40], s = 0;
#pragma HLS array_partition variable=A cyclic factor=3
 for (int i = 0; i < 40; i++) A[i] = i * n + 1;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  for (enum e@ j = 0; j < 3; j++) { s += (j - 1 > X@ + 2u); s += A[3 * i + j + 7]; } }
 return s; }
//// typedef as iterator: rewritten; rewritten
typedef signed char small@;
int f@(int n) {
 int A[40], s = 0;
#pragma HLS array_partition variable=A cyclic factor=3
 for (int i = 0; i < 40; i++) A[i] = i * n + 1;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  for (small@ j = 0; j < 3; j++) { s += (int)sizeof(j); s += A[3 * i + j + 7]; } }
 return s; }
//// extent of an inner array: rewritten; rewritten
int f@(int n) {
 int A[40], s = 0;
#pragma HLS array_partition variable=A cyclic factor=3
 for (int i = 0; i < 40; i++) A[i] = i * n + 1;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  for (int j = 0; j < 3; j++) { int v[sizeof(char[j + 1])]; v[j] = 1; s += v[j]; s += A[3 * i + j + 7]; } }
 return s; }
//// static in the body: rewritten; rewritten
int f@(int n) {
 int A[40], s = 0;
#pragma HLS array_partition variable=A cyclic factor=3
 for (int i = 0; i < 40; i++) A[i] = i * n + 1;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  for (int j = 0; j < 3; j++) { static int k; s += ++k; s += A[3 * i + j + 7]; } }
 return s; }
//// constant static in the body: rewritten; rewritten
int f@(int n) {
 int A[40], s = 0;
#pragma HLS array_partition variable=A cyclic factor=3
 for (int i = 0; i < 40; i++) A[i] = i * n + 1;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  for (int j = 0; j < 3; j++) { static const int t[3] = {3, 1, 2}; s += t[j]; s += A[3 * i + j + 7]; } }
 return s; }
//// static in a statement expression: rewritten; rewritten
int f@(int n) {
 int A[40], s = 0;
#pragma HLS array_partition variable=A cyclic factor=3
 for (int i = 0; i < 40; i++) A[i] = i * n + 1;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  for (int j = 0; j < 3; j++) { s += ({ static int k; ++k; }); s += A[3 * i + j + 7]; } }
 return s; }
//// local types: rewritten; rewritten
int f@(int n) {
 int A[40], s = 0;
#pragma HLS array_partition variable=A cyclic factor=3
 for (int i = 0; i < 40; i++) A[i] = i * n + 1;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  for (int j = 0; j < 3; j++) { struct p { int a; } q = {j}; enum { K = 3 }; s += q.a + K; s += A[3 * i + j + 7]; } }
 return s; }
//// counter: rewritten; rewritten
int f@(int n) {
 int A[40], s = 0;
#pragma HLS array_partition variable=A cyclic factor=3
 for (int i = 0; i < 40; i++) A[i] = i * n + 1;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  for (int j = 0; j < 3; j++) { s += __COUNTER__ - __COUNTER__; s += A[3 * i + j + 7]; } }
 return s; }
//// name of the function: rewritten; rewritten
int f@(int n) {
 int A[40], s = 0;
#pragma HLS array_partition variable=A cyclic factor=3
 for (int i = 0; i < 40; i++) A[i] = i * n + 1;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  for (int j = 0; j < 3; j++) { s += (int)sizeof(__func__) + __func__[0]; s += A[3 * i + j + 7]; } }
 return s; }
//// address of the iterator: non-affine; non-affine
int f@(int n) {
 int A[40], s = 0;
#pragma HLS array_partition variable=A cyclic factor=3
 for (int i = 0; i < 40; i++) A[i] = i * n + 1;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  for (int j = 0; j < 3; j++) { const int *p = &j; s += *p; s += A[3 * i + j + 7]; } }
 return s; }
//// inner iterator shadows: rewritten; rewritten
int f@(int n) {
 int A[40], s = 0;
#pragma HLS array_partition variable=A cyclic factor=3
 for (int i = 0; i < 40; i++) A[i] = i * n + 1;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  for (int j = 0; j < 3; j++) { for (short i = 0; i < 2; i++) s += A[j + i] + (int)sizeof i; } }
 return s; }
//// memory operand: opaque; opaque
static int A@[8] = {5, 6, 7, 8, 9, 10, 11, 12};
int f@(int n) {
#pragma HLS array_partition variable=A@ cyclic factor=2
 int s = n;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  __asm__ volatile ("incl %0" : "+m"(A@[i])); s += A@[i]; }
 return s; }
//// register operand: opaque; opaque
static int A@[8] = {5, 6, 7, 8, 9, 10, 11, 12};
int f@(int n) {
#pragma HLS array_partition variable=A@ cyclic factor=2
 int s = n;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  int q; __asm__ ("movl %1, %0" : "=r"(q) : "r"(A@[i])); A@[i] += q; }
 return s; }
//// asm of other things: rewritten; rewritten
static int A@[8] = {5, 6, 7, 8, 9, 10, 11, 12};
int f@(int n) {
#pragma HLS array_partition variable=A@ cyclic factor=2
 int s = n;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  __asm__ ("" : "+r"(s)); s += A@[i]; }
 return s; }
//// asm changes the index: non-affine; non-affine
static int A@[8] = {5, 6, 7, 8, 9, 10, 11, 12};
int f@(int n) {
#pragma HLS array_partition variable=A@ cyclic factor=2
 int s = n;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  int k = i; __asm__ ("xorl $1, %0" : "+r"(k)); s += A@[k & 7]; }
 return s; }
//// size of an array of run-time extent: opaque; opaque
static int A@[8] = {5, 6, 7, 8, 9, 10, 11, 12};
int f@(int n) {
#pragma HLS array_partition variable=A@ cyclic factor=2
 int s = n;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  s += (int)sizeof(int[A@[i] & 7]); A@[i]++; }
 return s; }
//// type of an element: rewritten; rewritten
static int A@[8] = {5, 6, 7, 8, 9, 10, 11, 12};
int f@(int n) {
#pragma HLS array_partition variable=A@ cyclic factor=2
 int s = n;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  s += (int)sizeof(char[sizeof A@[0]]) + A@[i]; }
 return s; }
//// brackets of macros: rewritten; rewritten
#define L@ [
#define R@ ]
static int A@[8] = {5, 6, 7, 8, 9, 10, 11, 12};
int f@(int n) {
#pragma HLS array_partition variable=A@ cyclic factor=2
 int s = n;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  A@ L@ i R@ += n; s += A@ L@ 7 - i R@; }
 return s; }
//// one bracket of a macro: rewritten; rewritten
#define AT@(x) A@[x
static int A@[8] = {5, 6, 7, 8, 9, 10, 11, 12};
int f@(int n) {
#pragma HLS array_partition variable=A@ cyclic factor=2
 int s = n;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  AT@(i)] += n; s += A@[7 - i]; }
 return s; }
//// names of banks are pasted: rewritten; rewritten
#define CAT@(a, b) a##b
static int CAT@(A@_, 0) = 5, CAT@(A@, _1) = 7;
static int A@[8] = {5, 6, 7, 8, 9, 10, 11, 12};
int f@(int n) {
#pragma HLS array_partition variable=A@ cyclic factor=2
 int s = n;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  A@[i] += CAT@(A@_, 0) + CAT@(A@, _1); }
 return s; }
//// pointers as elements: rewritten; rewritten
static int x@[8];
static int *B@[8] = {&x@[1], x@ + 2, x@, x@, x@ + 3, x@, x@ + 7, x@ + 1};
int f@(int n) {
#pragma HLS array_partition variable=B@ cyclic factor=2
 int s = n;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  if (B@[i]) *B@[i] += n; s += *B@[7 - i] + (B@[i] == x@ + 1); }
 return s; }
//// pointers to constants as elements, stored: rewritten; rewritten
static const int x@[16] = {1, 2, 3, 4};
static const int *B@[8] = {x@, x@, x@, x@};
int f@(int n) {
#pragma HLS array_partition variable=B@ cyclic factor=2
 int s = n;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  B@[i] = x@ + (i & n); s += *B@[i]; if (i == n) B@[i]++; }
 return s; }
//// constant pointers as elements: rewritten; rewritten
static int x@[8];
static int *const B@[8] = {x@, x@ + 1, x@, x@, x@, x@ + 5, x@, x@};
int f@(int n) {
#pragma HLS array_partition variable=B@ cyclic factor=2
 int s = n;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  *B@[i] += n; s += **(B@ + i); }
 return s; }
//// strings as elements: rewritten; rewritten
static const char *B@[8] = {"a", "b", "c", "d", "e", "f", "g", "h"};
int f@(int n) {
#pragma HLS array_partition variable=B@ cyclic factor=2
 int s = n;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  s += B@[i][0]; }
 return s; }
//// enumeration as element: rewritten; rewritten
enum e@ { X@, Y@ = 3 };
static enum e@ B@[8] = {Y@, [5] = Y@};
static int A@[8] = {1, [3] = 2};
int f@(int n) {
#pragma HLS array_partition variable=B@ cyclic factor=2
 int s = n;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  B@[i] = A@[i] ? Y@ : X@; s += B@[7 - i] + (B@[i] > 0) + (int)sizeof B@; }
 return s; }
//// booleans: rewritten; rewritten
static _Bool B@[8] = {1};
int f@(int n) {
#pragma HLS array_partition variable=B@ cyclic factor=2
 int s = n;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  B@[i] = !B@[7 - i]; s = s * 2 + B@[i]; }
 return s; }
//// unions and bit-fields: rewritten rewritten; struct rewritten
static union { int x; unsigned char c[4]; } U@[8] = {{7}, {9}};
static struct t@ { unsigned a : 3, b : 2; int c : 5; } S@[8] = {{1, 2, 3}};
int f@(int n) {
#pragma HLS array_partition variable=U@ cyclic factor=2
#pragma HLS array_partition variable=S@ cyclic factor=4
 int s = n;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  U@[i].c[0] ^= 3; U@[i].x += n; S@[i].b += 1; S@[i].a = n; s += U@[7 - i].c[1] + S@[i].b * 4 + S@[7 - i].a; }
 return s; }
//// compound literals: opaque; opaque
static int A@[8] = {5, 6, 7, 8, 9, 10, 11, 12};
int f@(int n) {
#pragma HLS array_partition variable=A@ cyclic factor=2
 int s = n;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  s += ((int[]){A@[i], n})[i & 1] + *(int[]){A@[7 - i]}; }
 return s; }
//// statement expression: opaque; opaque
static int A@[8] = {5, 6, 7, 8, 9, 10, 11, 12};
int f@(int n) {
#pragma HLS array_partition variable=A@ cyclic factor=2
 int s = n;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  s += ({ int t = A@[i]; t + 1; }); }
 return s; }
//// generic selection: opaque; opaque
static int A@[8] = {5, 6, 7, 8, 9, 10, 11, 12};
int f@(int n) {
#pragma HLS array_partition variable=A@ cyclic factor=2
 int s = n;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  s += _Generic(A@[i], int: 1, default: 2) + A@[i]; }
 return s; }
//// designators in order: rewritten; rewritten
static int B@[8] = {[6] = 4, 5, [1] = 2, 3};
int f@(int n) {
#pragma HLS array_partition variable=B@ cyclic factor=3
 int s = n;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  s += B@[i]; }
 return s; }
//// volatile: volatile; volatile
static volatile int B@[8] = {1, 2};
int f@(int n) {
#pragma HLS array_partition variable=B@ cyclic factor=2
 int s = n;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  s += B@[i]; }
 return s; }
//// comma and conditional: rewritten; rewritten
static int A@[8] = {5, 6, 7, 8, 9, 10, 11, 12};
int f@(int n) {
#pragma HLS array_partition variable=A@ cyclic factor=2
 int s = n;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  s += (n++, A@[i]); n -= (i & 1 ? A@[i] : A@[7 - i]) & 3; }
 return s; }
//// jump out of a switch: rewritten; rewritten
static int A@[8] = {5, 6, 7, 8, 9, 10, 11, 12};
int f@(int n) {
#pragma HLS array_partition variable=A@ cyclic factor=2
 int s = n;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  switch (A@[i] & 3) { case 0: continue; case 1: s += A@[7 - i]; break; default: s++; } }
 return s; }
//// jump over: rewritten; rewritten
static int A@[8] = {5, 6, 7, 8, 9, 10, 11, 12};
int f@(int n) {
#pragma HLS array_partition variable=A@ cyclic factor=2
 int s = n;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  if (A@[i] == 7) goto out; s += A@[7 - i]; }
out: return s; }
//// guarded index overflows: rewritten; rewritten
static int A@[8] = {5, 6, 7, 8, 9, 10, 11, 12};
int f@(int n) {
#pragma HLS array_partition variable=A@ cyclic factor=2
 int s = n;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  if (i < 2) s += A@[i * 1 + 1]; for (int k = 0; k < 2; k++) if (i + k < 8) A@[i + k] += k + n; }
 return s; }
//// index beyond the range of int where nothing is read: rewritten; rewritten
static int A@[9000];
int f@(int n) {
#pragma HLS array_partition variable=A@ cyclic factor=2
 int s = n; for (int i = 0; i < 70000; i++) {
#pragma HLS pipeline II=1
  if (i < 2) s += A@[i * 40000 / 10];
  if (i < 3) s += A@[40000 * i - 39999 * i]; }
 return s; }
//// effects of initial values: side-effect; side-effect
static int g@(int *x) { return (*x)++; }
int f@(int n) {
 int A[4] = {g@(&n), g@(&n), g@(&n), 1}, s = 0;
#pragma HLS array_partition variable=A cyclic factor=2
 for (int i = 0; i < 4; i++) s = s * 5 + A[i];
 return s; }
//// extents of parameters with an effect: side-effect; side-effect
static int g@(int a, int b[a++], int c) { return a * 10 + b[c & 7]; }
int f@(int n) {
 int A[8] = {1, 2, n};
#pragma HLS array_partition variable=A cyclic factor=2
 return g@(1, A, n) + A[1]; }
