struct vec {
  int a[4];
  int n;
};
vec twice(vec v) {
  vec r;
  for (int i = 0; i < 4; i++)
    r.a[i] = 2 * v.a[i];
  r.n = v.n;
  return r;
}
vec loaded(int A[64][4], int k) {
  vec r;
  for (int i = 0; i < 4; i++)
    r.a[i] = A[k][i];
  r.n = k;
  return r;
}
void top(int A[64][4], int B[64][4]) {
  for (int k = 0; k < 64; k++) {
    vec t = loaded(A, k);
    vec u;
    u = twice(t);
    for (int i = 0; i < 4; i++) {
#pragma HLS PIPELINE
      B[k][i] = t.a[3 - i] + u.a[i] + u.n;
    }
  }
}
