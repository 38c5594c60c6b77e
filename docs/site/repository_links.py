"""Makes pages of a site from documents whose links are those of the repository.

Documents link to each other, and to files outside docs/, by paths that hold in a clone. The site has the
documents of docs/, and those outside that `OUTSIDE` names, under other paths: links between these follow. A link
to any other file, such as a source, has no page here: its path stands in its place.
"""

import os
import posixpath
import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[2]

# Documents outside docs/, and where the site has them.
OUTSIDE = {"README.md": "index.md", "CONTRIBUTING.md": "repository/CONTRIBUTING.md", "CHANGELOG.md": "repository/CHANGELOG.md"}
for folder in ("data", "deploy", "examples", "sdk", "tests", "web"):
    for found in sorted(ROOT.glob(f"{folder}/**/README.md")):
        path = found.relative_to(ROOT).as_posix()
        if "node_modules" not in path and "/build/" not in path:
            OUTSIDE[path] = f"repository/{path}"
PLACES = {page: path for path, page in OUTSIDE.items()}

LINK = re.compile(r"(!?)\[([^\]\[]*(?:\[[^\]]*\][^\]\[]*)*)\]\(([^()\s]+)\)")
FENCE = re.compile(r"^ {0,3}(```|~~~)")


def on_files(files, config):
    for path, page in OUTSIDE.items():
        files.append(File.generated(config, page, content=(ROOT / path).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown, page, config, files):
    here = page.file.src_uri
    source = PLACES.get(here, f"docs/{here}")
    lines = []
    fenced = False
    for line in markdown.split("\n"):
        if FENCE.match(line):
            fenced = not fenced
        lines.append(line if fenced or line.startswith("    ") else LINK.sub(lambda m: followed(m, source, here), line))
    return "\n".join(lines)


def followed(link, source, here):
    picture, text, target = link.groups()
    if re.match(r"[a-z]+:|#", target):
        return link.group(0)
    path, _, place = target.partition("#")
    in_repository = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
    if in_repository in OUTSIDE:
        page = OUTSIDE[in_repository]
    elif in_repository.startswith("docs/") and (ROOT / in_repository).is_file():
        page = in_repository[len("docs/"):]
    elif (ROOT / in_repository).exists():
        shown = text.strip("`")
        return f"`{in_repository}`" if shown in (in_repository, posixpath.basename(in_repository)) else f"{text} (`{in_repository}`)"
    else:
        return link.group(0)  # the build tells that it leads nowhere
    relative = os.path.relpath(page, posixpath.dirname(here) or ".").replace(os.sep, "/")
    return f"{picture}[{text}]({relative}{'#' + place if place else ''})"
