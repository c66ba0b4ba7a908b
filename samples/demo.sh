#!/bin/sh
# The whole story on one sample: II before, the partition, banked C, II after, proof of equality.
set -e
cd "$(dirname "$0")/.."
out=demo-out
mkdir -p "$out"
sample=samples/bottleneck.c
banked=$out/bottleneck.c

step() { printf '\n\033[1m%s\033[0m\n$ %s\n' "$1" "$2"; sh -c "$2"; }

step "1. What the tool will report: three loads, two ports" "hlspart ii $sample"
step "2. The least partition that reaches II 1" "hlspart infer $sample"
step "3. Banked C" "hlspart rewrite $sample --infer --style crossbar -o $banked"
step "   (what changed)" "diff -U1 --label before --label after $sample $banked || true"
step "4. II of the banked C" "hlspart ii $banked --fail-on-miss"
step "5. Both versions on the same random data, sanitizers on" "hlspart verify $sample $banked --top bottleneck"

cat <<'END'

Your own kernel, from any folder (or: . .venv/bin/activate):

END
for command in "ii kernel.cpp" "advise kernel.cpp" "rewrite kernel.cpp --infer -o banked.cpp" "report kernel.cpp -o report.html"; do
  printf '  %s %s\n' "$(command -v hlspart)" "$command"
done
printf '\n%s\n' "Headers and macros as for a C compiler (-I, -D); the device with --part, the tool with --tool, see: hlspart targets"
