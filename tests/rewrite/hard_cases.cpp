/* Small programs at the edges of C++, for every style. Each begins with a line of its own: its name, then what becomes
   of its partitioned arrays under bankdim and under crossbar: "rewritten", or the code of the refusal. "@" in a name is
   the number of the program. int f@(int n) is free of warnings and of undefined behaviour for 0 <= n <= 3. */
//// overloads on the iterator: rewritten; rewritten
static int g@(int x) { return 1 + x; } static int g@(unsigned x) { return 2 + (int)x; } static int g@(long x) { return 3 + (int)x; }
static int g@(unsigned char x) { return 4 + (int)x; }
int f@(int n) {
 int A[40], s = 0;
#pragma HLS array_partition variable=A cyclic factor=3
 for (int i = 0; i < 40; i++) A[i] = i * n + 1;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  for (unsigned char j = 0; j < 3; j++) { s += g@(j) + g@(A[3 * i + j]); for (unsigned k = 0; k < 2; k++) s += g@(k) + A[k]; for (long k = 0; k < 2; k++) s += g@(k) + A[k + 2]; } }
 return s; }
//// constant reference: opaque; opaque
static int A@[8] = {5, 6, 7, 8, 9, 10, 11, 12};
int f@(int n) {
#pragma HLS array_partition variable=A@ cyclic factor=2
 int s = n;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  const int &r = A@[7 - i]; A@[7 - i] = 100 + i; s += r; }
 return s; }
//// reference: opaque; opaque
static int A@[8] = {5, 6, 7, 8, 9, 10, 11, 12};
int f@(int n) {
#pragma HLS array_partition variable=A@ cyclic factor=2
 int s = n;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  auto &r = A@[i]; r += n; s += A@[i]; }
 return s; }
//// reference of a parameter: rewritten; reference
static void h@(int &x, int y) { x += y; }
static int A@[8] = {5, 6, 7, 8, 9, 10, 11, 12};
int f@(int n) {
#pragma HLS array_partition variable=A@ cyclic factor=2
 int s = n;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  h@(A@[i], n); s += A@[7 - i]; }
 return s; }
//// swap: rewritten; reference
#include <utility>
static int A@[8] = {5, 6, 7, 8, 9, 10, 11, 12};
int f@(int n) {
#pragma HLS array_partition variable=A@ cyclic factor=2
 int s = n;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  if (i < 4) std::swap(A@[i], A@[7 - i]); s += i * A@[i]; }
 return s; }
//// largest: rewritten; rewritten
#include <algorithm>
static int A@[8] = {5, 6, 7, 8, 9, 10, 11, 12};
int f@(int n) {
#pragma HLS array_partition variable=A@ cyclic factor=2
 int s = n;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  s += std::max(A@[i], 7) - std::min(A@[7 - i], s); }
 return s; }
//// reference returned: opaque; opaque
static int A@[8] = {1, 2};
static int &at@(int i) { return A@[i & 7]; }
 
int f@(int n) {
#pragma HLS array_partition variable=A@ cyclic factor=2
 int s = n;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  at@(i) += n; s += A@[i]; }
 return s; }
//// conditional lvalue: opaque; opaque
static int A@[8] = {5, 6, 7, 8, 9, 10, 11, 12};
int f@(int n) {
#pragma HLS array_partition variable=A@ cyclic factor=2
 int s = n;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  (i & 1 ? A@[i] : A@[7 - i]) = i; s += A@[i]; }
 return s; }
//// assignment as lvalue: opaque; opaque
static int A@[8] = {5, 6, 7, 8, 9, 10, 11, 12};
int f@(int n) {
#pragma HLS array_partition variable=A@ cyclic factor=2
 int s = n;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  (A@[i] += 2) += 3; s += A@[i]; }
 return s; }
//// increment as lvalue: opaque; opaque
static int A@[8] = {5, 6, 7, 8, 9, 10, 11, 12};
int f@(int n) {
#pragma HLS array_partition variable=A@ cyclic factor=2
 int s = n;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  ++(++A@[i]); s += A@[i]; }
 return s; }
//// one name in two namespaces: rewritten; rewritten
namespace n@ { static int B@[8] = {1, 2}; }
static int B@[8] = {3, 4};
int f@(int n) {
#pragma HLS array_partition variable=B@ cyclic factor=2
 int s = n; for (int i = 0; i < 8; i++) { n@::B@[i] += i; B@[i] += n@::B@[7 - i]; s = s * 3 + B@[i]; }
 return s & 255; }
//// namespaces apart: namespace; namespace
namespace a@ { static int B@[8] = {1, 2};
 int g@(int n);
int g@(int n) {
#pragma HLS array_partition variable=B@ cyclic factor=2
 int s = n; for (int i = 0; i < 8; i++) s += B@[i]++; return s; } }
namespace b@ { static int B@[4] = {3}; static int g@(int n) { return B@[n & 3]; } }
int f@(int n) { return a@::g@(n) + b@::g@(n) * 100; }
//// one name in two namespaces, both named: namespace; namespace
namespace a@ { static int B@[8] = {1, 2}; }
namespace b@ { static int B@[8] = {3, 4}; }
int f@(int n) {
#pragma HLS array_partition variable=a@::B@ cyclic factor=2
 int s = n; for (int i = 0; i < 8; i++) { a@::B@[i] += i; s = s * 3 + a@::B@[7 - i] + b@::B@[i]; }
 return s & 255; }
//// named with its namespace: namespace; namespace
namespace n@ { static int B@[8] = {1, 2}; }
int f@(int n) {
#pragma HLS array_partition variable=B@ cyclic factor=2
 int s = n; for (int i = 0; i < 8; i++) s += n@::B@[i]; return s; }
//// booleans: rewritten; rewritten
static bool B@[8] = {true};
int f@(int n) {
#pragma HLS array_partition variable=B@ cyclic factor=2
 int s = n;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  B@[i] = !B@[7 - i]; s = s * 2 + B@[i]; if (i == n) B@[i] = n > 1; }
 return s; }
//// scoped enumeration: rewritten; rewritten
enum class E@ : unsigned char { X, Y = 3 };
static E@ B@[8] = {E@::Y, E@::X, E@::Y};
int f@(int n) {
#pragma HLS array_partition variable=B@ cyclic factor=2
 int s = n;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  B@[i] = (s & 1) ? E@::X : E@::Y; if (i > n) B@[7 - i] = E@::Y; s += static_cast<int>(B@[7 - i]) + (B@[i] == E@::X) + static_cast<int>(sizeof B@); }
 return s; }
//// enumeration: rewritten; rewritten
enum E@ { X@, Y@ };
static E@ B@[8] = {Y@};
int f@(int n) {
#pragma HLS array_partition variable=B@ cyclic factor=2
 int s = n;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  B@[i] = i > n ? X@ : Y@; s += B@[7 - i]; }
 return s; }
//// pointers as elements: rewritten; rewritten
static const int x@[2] = {4, 5};
static const int *B@[8] = {x@, x@ + 1, nullptr, x@};
int f@(int n) {
#pragma HLS array_partition variable=B@ cyclic factor=2
 int s = n;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  if (B@[i] != nullptr) s += *B@[i]; B@[7 - i] = x@ + (n & 1); }
 return s; }
//// extents deduced: template; template
template <int N> static int g@(int (&p)[N]) { int s = 0; for (int i = 0; i < N; i++) s += p[i]; return s; }
static int A@[8] = {1, 2};
int f@(int n) {
#pragma HLS array_partition variable=A@ cyclic factor=2
 return g@(A@) + g@<8>(A@) + n; }
//// several instances: template; template
template <int N> static int g@(const int *p) { int s = 0; for (int i = 0; i < N; i++) s += p[i]; return s; }
static int A@[8] = {1, 2}, B@[4] = {7};
int f@(int n) {
#pragma HLS array_partition variable=A@ cyclic factor=2
 return g@<8>(A@) + g@<4>(B@) + n; }
//// one instance: rewritten; rewritten
template <int N> static int g@(const int p[N]) { int s = 0; for (int i = 0; i < N; i++) s += p[i]; return s; }
static int A@[8] = {1, 2};
int f@(int n) {
#pragma HLS array_partition variable=A@ cyclic factor=2
 return g@<8>(A@) + n; }
//// struct elements: rewritten; rewritten
struct T@ { int x; short y; };
static T@ P@[8] = {{1, 2}, {3, 4}};
int f@(int n) {
#pragma HLS array_partition variable=P@ cyclic factor=2
 int s = n;
 for (int i = 0; i < 8; i++) {
#pragma HLS pipeline II=1
  P@[i].x += n; if (i > n) P@[7 - i].y = 3; s += P@[i].y * P@[7 - i].x; }
 return s; }
//// qualified constants: rewritten; rewritten
namespace k@ { const int N = 8; }
int f@(int n) {
 int A[k@::N] = {k@::N, n};
#pragma HLS array_partition variable=A cyclic factor=2
 for (int i = 0; i < k@::N; i++) n += A[k@::N - 1 - i];
 return n; }
