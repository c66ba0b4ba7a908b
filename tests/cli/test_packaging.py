"""What is published: metadata, pages, recipes that agree with them."""

from __future__ import annotations

import json
import re
from configparser import ConfigParser
from pathlib import Path

import pytest
import yaml

from hlspart.cli.app import COMMANDS
from hlspart.cli.manual import topics
from hlspart.version import __version__

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(p for p in (ROOT / "docs").rglob("*.md"))


def config() -> ConfigParser:
    parser = ConfigParser()
    parser.read(ROOT / "setup.cfg")
    return parser


def lines(text: str) -> list[str]:
    return [x.strip() for x in text.replace(";", "\n").splitlines() if x.strip()]


def test_metadata_names_no_person_and_no_place_that_does_not_exist() -> None:
    metadata = config()["metadata"]
    assert not {"author", "author_email", "maintainer", "maintainer_email", "url", "project_urls"} & set(metadata)
    assert len(lines(metadata["classifiers"])) >= 10 and "Typing :: Typed" in lines(metadata["classifiers"])
    shown = (ROOT / metadata["long_description"].removeprefix("file:").strip()).read_text()
    assert "](" not in shown  # a package page has no folder that relative links could start from
    assert (ROOT / "hlspart/py.typed").exists()


def anchors(text: str) -> set[str]:
    """Anchors of the headings, as Python-Markdown makes them."""
    heads = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.S | re.M), re.M)
    plain = [re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", h).replace("`", "") for h in heads]
    return {re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", h).strip().lower()) for h in plain}


def test_no_link_between_pages_is_dead() -> None:
    seen = 0
    for page in (*PAGES, ROOT / "README.md", ROOT / "CONTRIBUTING.md"):
        text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.S | re.M)
        for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", text)):
            if "://" in link:
                continue
            seen += 1
            file, _, anchor = link.partition("#")
            target = (page.parent / file).resolve() if file else page
            assert target.exists(), f"{page}: {link}"
            assert not anchor or anchor in anchors(target.read_text()), f"{page}: {link}"
    assert seen > 60


def test_every_page_is_in_the_menu_of_the_site() -> None:
    site = yaml.safe_load((ROOT / "mkdocs.yml").read_text())

    def files(entry: object) -> list[str]:
        if isinstance(entry, str):
            return [entry]
        return [f for x in (entry.values() if isinstance(entry, dict) else entry) for f in files(x)]  # type: ignore[attr-defined]

    listed = files(site["nav"])
    rest = {str(p.relative_to(ROOT / "docs")) for p in PAGES} - set(listed)
    assert len(set(listed)) == len(listed) and all((ROOT / "docs" / f).exists() for f in listed)
    assert {f for f in rest if not f.startswith("rules/HLP")} == {"package.md"}


def test_help_shows_pages_and_commands(cli) -> None:
    out = cli("help").out
    assert all(f"  {name} " in out for name in topics()) and len(topics()) > 20
    assert cli("help", "glossary").out.startswith("# Glossary")
    assert cli("help", "lint").out == cli("lint", "--help").out  # a command without a page of its own
    done = cli("help", "nonsense")
    assert done.code == 2 and "no topic 'nonsense'" in done.err


def test_the_conda_recipe_needs_what_the_package_needs() -> None:
    recipe = yaml.safe_load((ROOT / "packaging/conda/recipe.yaml").read_text())
    needs = [r.replace(" ", "") for r in recipe["requirements"]["run"] if not r.startswith("python ")]
    assert needs == [r.replace(" ", "") for r in lines(config()["options"]["install_requires"])]
    assert recipe["build"]["python"]["entry_points"] == lines(config()["options.entry_points"]["console_scripts"])
    assert f'default="{__version__}"' in recipe["context"]["version"]
    (tried,) = recipe["tests"]
    for command in tried["script"]:
        assert command.split()[1] in {*COMMANDS, "--version"}


def test_the_container_file_installs_extras_that_exist() -> None:
    text = (ROOT / "packaging/Containerfile").read_text()
    (extras, again) = re.findall(r"\[([a-z,]+)\]", text)
    assert extras == again and set(extras.split(",")) <= set(config()["options.extras_require"])
    assert not re.search(r"COPY (?!\. )", text)


@pytest.mark.parametrize("name", ["README.md", "docs/index.md"])
def test_three_commands_come_first(name: str) -> None:
    text = (ROOT / name).read_text()
    first = text.split("```console\n")[1].split("```")[0].splitlines()
    commands = [re.sub(r" +#.*", "", x) for x in first if x.startswith("$ ")]
    assert commands == ["$ pip install .", "$ hlspart ii kernel.cpp", "$ hlspart advise kernel.cpp"]


def test_the_extension_of_the_page_is_one_that_its_own_files_agree_on() -> None:
    page = (ROOT / "docs/editors.md").read_text()
    package = json.loads(page.split("```json\n")[1].split("```")[0])
    code = page.split("```js\n")[1].split("```")[0]
    (setting,) = package["contributes"]["configuration"]["properties"]
    section, _, key = setting.partition(".")
    assert f'getConfiguration("{section}").get("{key}")' in code and f'"{setting}": "/path' in page
    assert set(package["dependencies"]) == set(re.findall(r'require\("(?!vscode")([^/"]*)', code))
    assert set(package["activationEvents"]) == {f"onLanguage:{x}" for x in re.findall(r'language: "(\w+)"', code)}
    assert f"{package['name']}-{package['version']}.vsix" in page and package["version"] == __version__
