// Builds the pages, and writes them as a C++ source that defines `embedded_pages` of
// http/page_files.hpp: node tools/embed.mjs OUT
//
// Installs the packages of package-lock.json first where they are not there. The build of the
// program calls this under a lock: builds of several kinds share the packages.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { argv, exit, stderr } from "node:process";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const root = fileURLToPath(new URL("..", import.meta.url));

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Of one line of the source. */
const LITERAL_BYTES = 16_000;

function timeOf(path) {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return 0;
  }
}

function installPackages() {
  const installed = timeOf(join(root, "node_modules/.package-lock.json"));
  if (installed >= timeOf(join(root, "package-lock.json"))) return;
  execFileSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
  });
}

/** The files below a folder, each with the path at which it is served. */
function filesOf(dist) {
  const assets = readdirSync(join(dist, "assets")).map((name) => [`/assets/${name}`, `assets/${name}`]);
  const pages = readdirSync(dist)
    .filter((name) => extname(name) === ".html")
    .map((name) => [`/${name.slice(0, -".html".length)}`, name]);
  return [...assets, ...pages].sort(([one], [other]) => (one < other ? -1 : 1));
}

/** Three octal digits for each byte: no digit that follows is taken for a part of it. */
function literalsOf(bytes) {
  const lines = [];
  for (let begin = 0; begin < bytes.length; begin += LITERAL_BYTES) {
    const part = bytes.subarray(begin, begin + LITERAL_BYTES);
    lines.push(`"${Array.from(part, (one) => `\\${one.toString(8).padStart(3, "0")}`).join("")}"`);
  }
  return lines.join("\n     ");
}

const [out] = argv.slice(2);
if (out === undefined) {
  stderr.write("usage: node tools/embed.mjs OUT\n");
  exit(2);
}
installPackages();
const { buildPages } = await import("./build.mjs"); // needs the packages
const dist = join(dirname(out), "pages");
await buildPages(dist);

const names = [];
const lines = [];
for (const [place, [path, name]] of filesOf(dist).entries()) {
  const content = readFileSync(join(dist, name));
  const type = TYPES[extname(name)];
  if (type === undefined) throw new Error(`${name} has no known type`);
  const packed = gzipSync(content, { level: 9 });
  const tag = createHash("sha256").update(content).digest("base64url").slice(0, 22);
  lines.push(`constexpr char content_${place}[] =\n     ${literalsOf(packed)};`);
  names.push(
    `    {"${path}", "${type}", {content_${place}, ${packed.length}}, "\\"${tag}\\""},`,
  );
}
mkdirSync(dirname(out), { recursive: true });
rmSync(out, { force: true });
writeFileSync(
  out,
  `#include "http/page_files.hpp"

namespace holdfast::http {

namespace {

${lines.join("\n")}

} // namespace

const std::vector<page_file>& embedded_pages() {
  static const std::vector<page_file> files{
${names.join("\n")}
  };
  return files;
}

} // namespace holdfast::http
`,
);
