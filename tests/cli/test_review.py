"""In review: the hooks under pre-commit itself, the steps of the GitHub action, the GitLab job."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from check_jsonschema import main as check_jsonschema
from click.testing import CliRunner

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
FAULTY = "void f(int A[16]) {\n#pragma HLS array_partition variable=B complete\n  A[0] = 1;\n}\n"
CLEAN = "int f(int x) { return x; }\n"
MISSED = """void f(int A[16], int B[16]) {
  for (int i = 0; i < 13; i++) {
#pragma HLS pipeline II=1
    B[i] = A[i] + A[i + 1] + A[i + 2] + A[i + 3];
  }
}
"""


def sh(folder: Path, *command: str, **env: str) -> subprocess.CompletedProcess[str]:
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        command, cwd=folder, env={**os.environ, "PATH": path, **env}, capture_output=True, text=True, check=False
    )


def git(folder: Path, *args: str) -> None:
    settings = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    done = sh(folder, "git", *settings, *args)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A project with one clean commit, a kernel, a header and a file that is no C."""
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    (folder / "src/clean.c").write_text(CLEAN)
    (folder / "readme.md").write_text("#pragma HLS nonsense\n")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "one")
    return folder


@pytest.mark.parametrize(
    ("schema", "file"), [("vendor.github-actions", "action.yml"), ("vendor.gitlab-ci", "share/gitlab-ci.yml")]
)
def test_files_keep_to_the_schemas_of_the_services(schema: str, file: str) -> None:
    done = CliRunner().invoke(check_jsonschema, ["--builtin-schema", schema, str(ROOT / file)])
    assert done.exit_code == 0, done.output


# -------------------------------------------------------------------------------------- pre-commit


def hooks() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    return found


def test_hooks_run_under_pre_commit(repository: Path, tmp_path: Path) -> None:
    home = {"PRE_COMMIT_HOME": str(tmp_path / "home")}
    manifest = sh(repository, "pre-commit", "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml"), **home)
    assert manifest.returncode == 0, manifest.stdout
    assert all(h["language"] == "python" and h["require_serial"] for h in hooks())
    local = [{**h, "language": "system", "verbose": True} for h in hooks()]  # as installed here, not once more
    (repository / ".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": [{"repo": "local", "hooks": local}]}))
    (repository / "src/bad.c").write_text(FAULTY)
    (repository / "src/slow.cpp").write_text(MISSED)
    git(repository, "add", ".")
    done = sh(repository, "pre-commit", "run", "--color=never", **home)
    assert done.returncode == 1
    lint, check = re.split(r"^hlspart ii\.*", done.stdout, flags=re.M)
    assert lint.startswith("hlspart lint") and "Failed" in lint and "exit code: 1" in lint
    assert "src/bad.c:2:29: error: ARRAY_PARTITION: no variable 'B' [HLP401 unknown-variable]" in lint
    assert "src/slow.cpp:2:3: warning" in lint and "readme.md" not in done.stdout and "clean.c" not in lint
    assert "Failed" in check and "f/VITIS_LOOP_2_1" in check
    git(repository, "rm", "-qf", "src/bad.c", "src/slow.cpp")
    (repository / "src/clean.c").write_text(CLEAN + "\n")
    git(repository, "add", ".")
    assert sh(repository, "pre-commit", "run", "--color=never", **home).returncode == 0


# ------------------------------------------------------------------------------------ GitHub action


def action_steps() -> list[dict[str, Any]]:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    assert action["runs"]["using"] == "composite"
    steps: list[dict[str, Any]] = action["runs"]["steps"]
    return steps


def substituted(text: str, **given: str) -> str:
    """``${{ inputs.x }}`` as GitHub replaces it."""
    inputs = yaml.safe_load((ROOT / "action.yml").read_text())["inputs"]
    values = {f"inputs.{k}": str(given.get(k.replace("-", "_"), v["default"])) for k, v in inputs.items()}
    values["github.action_path"] = str(ROOT)
    return re.sub(r"\$\{\{ *([\w.-]+) *\}\}", lambda m: values[m.group(1)], text)


def run_step(folder: Path, step: dict[str, Any], runner: Path, **given: str) -> subprocess.CompletedProcess[str]:
    env = {k: substituted(v, **given) for k, v in step["env"].items()}
    assert "${{" not in step["run"]  # values come by the environment only, so that none is read as code
    script = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    return sh(folder, *script, **env, RUNNER_TEMP=str(runner))


@pytest.fixture
def runner(tmp_path: Path) -> Path:
    """What the first step leaves behind: an environment with the program."""
    (tmp_path / "temp/hlspart/bin").mkdir(parents=True)
    (tmp_path / "temp/hlspart/bin/hlspart").symlink_to(BIN / "hlspart")
    return tmp_path / "temp"


def test_the_action_annotates_the_change(repository: Path, runner: Path) -> None:
    _, lint = action_steps()
    (repository / "src/bad.c").write_text(FAULTY)
    done = run_step(repository, lint, runner, files="src")
    assert done.returncode == 1
    assert done.stdout.startswith("::error file=src/bad.c,line=2,endLine=2,col=29,endColumn=36,title=HLP401 ")
    (run,) = json.loads((repository / "hlspart.sarif").read_text())["runs"]
    assert [r["ruleId"] for r in run["results"]] == ["HLP401"]
    git(repository, "add", "src")
    git(repository, "commit", "-qm", "two")
    (repository / "src/slow.cpp").write_text(MISSED)
    changed = run_step(repository, lint, runner, files="src", diff_base="HEAD", sarif="my report.sarif")
    assert changed.returncode == 0 and changed.stdout.startswith("::warning file=src/slow.cpp,line=2")
    assert "bad.c" not in changed.stdout and (repository / "my report.sarif").exists()
    assert run_step(repository, lint, runner, files="src", diff_base="HEAD", fail_on="warning").returncode == 1
    assert run_step(repository, lint, runner, files="src", args="--select HLP211").returncode == 0
    assert run_step(repository, lint, runner, files="src", diff_base="nowhere").returncode == 2
    assert run_step(repository, lint, runner, files="$(touch here) src").returncode == 2  # words, not code
    assert not (repository / "here").exists()


def test_the_set_up_step_makes_an_environment(tmp_path: Path) -> None:
    set_up, _ = action_steps()
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "python3").write_text(  # stands in for an interpreter: notes how it was called, and makes a pip that does
        '#!/bin/sh\necho "python3 $*"\nmkdir -p "$3/bin"\n'
        'printf \'#!/bin/sh\\necho "pip $*"\\n\' > "$3/bin/pip"\nchmod +x "$3/bin/pip"\n'
    )
    (tools / "python3").chmod(0o755)
    env = {k: substituted(v) for k, v in set_up["env"].items()}
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", set_up["run"]],
        env={**os.environ, **env, "PATH": path, "RUNNER_TEMP": str(tmp_path / "t")}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [f"python3 -m venv {tmp_path}/t/hlspart", f"pip install --quiet {ROOT}"]


# --------------------------------------------------------------------------------------- GitLab job


def test_the_gitlab_job_writes_its_reports(repository: Path) -> None:
    (job,) = yaml.safe_load((ROOT / "share/gitlab-ci.yml").read_text()).values()
    install, lint = job["script"]
    assert install == 'pip install --quiet "$HLSPART_SOURCE"'
    (repository / "src/bad.c").write_text(FAULTY)
    done = sh(repository, "bash", "-eo", "pipefail", "-c", lint, **job["variables"])
    assert done.returncode == 1 and "src/bad.c:2:29: error" in done.stdout
    reports = job["artifacts"]["reports"]
    assert job["artifacts"]["when"] == "always"
    (issue,) = json.loads((repository / reports["codequality"]).read_text())
    assert (issue["location"]["path"], issue["severity"]) == ("src/bad.c", "major")
    assert 'failures="1"' in (repository / reports["junit"]).read_text()
