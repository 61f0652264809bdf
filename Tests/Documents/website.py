#!/usr/bin/env python3
"""Builds the documents as one site with search, by MkDocs:  website.py MKDOCS SOURCE SITE

The pages are copied to SOURCE with their places in the repository, so that links go on. Articles of DocC become plain
Markdown; links to what is no page (folders, sources) become their text. The order is that of docs/README.md.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from links import _LINK
from pages import ROOT

_TABLE_LINK = re.compile(r"^\|\s*\[([^\]]+)\]\(([^)#]+)[^)]*\)")


def _articles() -> dict[str, Path]:
    return {p.stem: p for p in (ROOT / "Sources").rglob("*.docc/*.md") if ".build" not in p.parts}


def _pages() -> list[Path]:
    examples = sorted((ROOT / "Examples").glob("*/README.md"))
    documents = sorted((ROOT / "docs").rglob("*.md"))
    return [*ROOT.glob("*.md"), *documents, *examples, *_articles().values()]


def _converted(path: Path, included: set[Path], articles: dict[str, Path]) -> str:
    text = path.read_text(encoding="utf-8")

    def article(match: re.Match) -> str:
        goal = articles.get(match[1])
        return f"[{match[1]}]({os.path.relpath(goal, path.parent)})" if goal else f"`{match[1]}`"

    def link(match: re.Match) -> str:
        target, _, anchor = match[1].partition("#")
        if not target or re.match(r"[a-z][a-z0-9+.-]*:", target):
            return match[0]
        goal = (path.parent / target).resolve()
        if goal.is_dir() and goal / "README.md" in included:
            return match[0].replace(match[1], target.rstrip("/") + "/README.md")
        return match[0] if goal in included else match[0][1 : match[0].rindex("](")]

    if path.parent.suffix == ".docc":
        text = re.sub(r"^# ``([^`]+)``", r"# \1", text, flags=re.MULTILINE)
        text = re.sub(r"(?<!`)``([^`\n]+)``(?!`)", r"`\1`", text)
        text = re.sub(r"<doc:([\w-]+)[^>]*>", article, text)
        text = re.sub(r"^@\w+(\([^)]*\))? *\{[^}]*\}\n", "", text, flags=re.MULTILINE)
    parts = re.split(r"(^```.*?^```)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if part.startswith("```") else _LINK.sub(link, part) for part in parts)


def _navigation(included: set[Path]) -> list:
    index = ROOT / "docs/README.md"
    sections: list = [{"Sealring": "README.md"}, {"Documentation": "docs/README.md"}]
    seen = {ROOT / "README.md", index}
    entries: list = []
    for line in index.read_text(encoding="utf-8").splitlines():
        if heading := re.match(r"###? (.*)", line):
            entries = []
            sections.append({heading[1]: entries})
        elif match := _TABLE_LINK.match(line):
            goal = (index.parent / match[2]).resolve()
            if goal in included and goal not in seen:
                seen.add(goal)
                entries.append({match[1].replace("`", ""): str(goal.relative_to(ROOT))})
    rest = [{p.stem if p.name != "README.md" else p.parent.name: str(p.relative_to(ROOT))} for p in sorted(included - seen)]
    return [s for s in sections if all(s.values())] + [{"More": rest}]


def main() -> int:
    mkdocs, source, site = (Path(word).resolve() for word in sys.argv[1:4])
    shutil.rmtree(source, ignore_errors=True)
    included, articles = set(_pages()), _articles()
    for path in included:
        copy = source / "pages" / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(_converted(path, included, articles), encoding="utf-8")
    # JSON is YAML; only the name of the function that makes anchors is not.
    settings = {
        "site_name": "Sealring", "docs_dir": str(source / "pages"), "site_dir": str(site), "use_directory_urls": False,
        "theme": {"name": "readthedocs"}, "plugins": ["search"], "nav": _navigation(included),
        "validation": {"links": {"not_found": "warn", "anchors": "warn", "absolute_links": "ignore"}, "nav": {"omitted_files": "warn"}},
        "markdown_extensions": ["tables", "fenced_code", {"toc": {"slugify": "ANCHORS"}}],
    }  # fmt: skip
    text = json.dumps(settings, indent=1).replace('"ANCHORS"', "!!python/name:links.slug")
    (source / "mkdocs.yml").write_text(text, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parent), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([mkdocs, "build", "--strict", "--quiet", "--config-file", source / "mkdocs.yml"], env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
