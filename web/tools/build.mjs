// Builds the pages into build/dist, or with --tests the tests into build/tests.
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import * as esbuild from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Bytes of a page's script and style together, packed; a page is to open at once. */
const PACKED_BYTES_MAX = 250 * 1024;

/** Each page is src/<name>/main.tsx with src/html/<name>.html, served as /<name>. */
const pages = readdirSync(join(root, "src/html")).map((file) => basename(file, ".html"));

/** A page for development alone, with every component; its HTML lies beside its source. */
const GALLERY = "gallery";

const pageOptions = (dist, names, minify) => ({
  absWorkingDir: root,
  entryPoints: Object.fromEntries(names.map((name) => [name, `src/${name}/main.tsx`])),
  outdir: join(dist, "assets"),
  bundle: true,
  format: "esm",
  target: ["chrome109", "firefox115", "safari16"],
  tsconfig: "tsconfig.json",
  charset: "utf8",
  legalComments: "none",
  minify,
  sourcemap: minify ? false : "linked",
  define: { "process.env.NODE_ENV": minify ? '"production"' : '"development"' },
  logLevel: "warning",
});

/** Copies the files that are served as they are. */
function copyFiles(dist) {
  mkdirSync(dist, { recursive: true });
  cpSync(join(root, "src/assets"), join(dist, "assets"), { recursive: true });
  for (const name of pages) {
    writeFileSync(join(dist, `${name}.html`), readFileSync(join(root, `src/html/${name}.html`)));
  }
}

/** Builds into `dist` after each change of a source, unminified, and the gallery as well; calls
 * `rebuilt` then. */
export async function watch(dist, rebuilt) {
  rmSync(dist, { recursive: true, force: true });
  const plugin = {
    name: "files",
    setup(build) {
      build.onEnd((result) => {
        copyFiles(dist);
        cpSync(join(root, `src/${GALLERY}/${GALLERY}.html`), join(dist, `${GALLERY}.html`));
        if (result.errors.length === 0) rebuilt();
      });
    },
  };
  const context = await esbuild.context({ ...pageOptions(dist, [...pages, GALLERY], false), plugins: [plugin] });
  await context.watch();
  return context;
}

export async function buildPages(dist) {
  rmSync(dist, { recursive: true, force: true });
  await esbuild.build(pageOptions(dist, pages, true));
  copyFiles(dist);
  const packed = (file) => {
    try {
      return gzipSync(readFileSync(join(dist, "assets", file)), { level: 9 }).length;
    } catch {
      return 0; // a page without a style of its own
    }
  };
  for (const name of pages) {
    const bytes = packed(`${name}.js`) + packed(`${name}.css`);
    if (bytes > PACKED_BYTES_MAX) {
      throw new Error(`${name} has ${bytes} bytes packed, more than ${PACKED_BYTES_MAX}`);
    }
  }
}

async function buildTests() {
  rmSync(join(root, "build/tests"), { recursive: true, force: true });
  const tests = readdirSync(join(root, "tests")).filter((file) => file.endsWith(".test.ts"));
  await esbuild.build({
    absWorkingDir: root,
    entryPoints: tests.map((file) => `tests/${file}`),
    outdir: "build/tests",
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node18",
    packages: "external",
    alias: { holdfast: "../sdk/typescript/src/index.ts" },
    sourcemap: "inline",
    logLevel: "warning",
  });
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  if (argv.includes("--tests")) await buildTests();
  else await buildPages(join(root, "build/dist"));
}
