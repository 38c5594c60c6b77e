import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  cpSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { VERSION } from "../src/index.js";
import { PACKAGE } from "./package_root.js";

const read = (...path: string[]): string => readFileSync(join(PACKAGE, ...path), "utf8");

interface Manifest {
  version: string;
  dependencies?: object;
}

test("the_package_is_packed_and_works_for_import_and_require", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-package-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const npm = (...words: string[]): string =>
    execFileSync("npm", words, {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  const node = (file: string): string =>
    execFileSync(process.execPath, [file], { cwd: folder, encoding: "utf8" });

  // Of a copy, because packing builds the package anew while other tests use it.
  const copy = join(folder, "copy");
  const left = ["node_modules", "dist", "build"].map((name) => join(PACKAGE, name));
  cpSync(PACKAGE, copy, { recursive: true, filter: (path) => !left.includes(path) });
  symlinkSync(join(PACKAGE, "node_modules"), join(copy, "node_modules"));
  const packed = `holdfast-${VERSION}.tgz`;
  npm("pack", copy, "--pack-destination", folder);
  writeFileSync(join(folder, "package.json"), "{}");
  npm("install", "--offline", "--no-audit", "--no-fund", `./${packed}`);
  assert.deepEqual(readdirSync(join(folder, "node_modules", "holdfast")).sort(), [
    "README.md",
    "dist",
    "package.json",
  ]);
  const use = "console.log(h.VERSION, typeof h.Worker, h.encodeJson({ n: 1n }))";
  writeFileSync(join(folder, "use.mjs"), `import * as h from "holdfast"; ${use}`);
  writeFileSync(join(folder, "use.cjs"), `const h = require("holdfast"); ${use}`);
  const said = `${VERSION} function {"n":1}\n`;
  assert.equal(node("use.mjs"), said);
  assert.equal(node("use.cjs"), said);
});

test("the_package_has_one_version_and_depends_on_nothing", () => {
  const manifest = JSON.parse(read("package.json")) as Manifest;
  assert.equal(manifest.version, VERSION);
  assert.equal(manifest.dependencies, undefined);
});

test("the_lock_names_no_registry", () => {
  assert.doesNotMatch(read("package-lock.json"), /https?:/);
});

test("the_package_imports_nothing", () => {
  for (const name of readdirSync(join(PACKAGE, "src"))) {
    for (const [, from] of read("src", name).matchAll(/from "([^"]+)"/g)) {
      assert.match(from ?? "", /^\.\/\w+\.js$/, name);
    }
  }
});

test("the_readme_shows_the_example_as_it_is", () => {
  const example = read("examples", "worker.mjs");
  assert.ok(read("README.md").includes(`\`\`\`js\n${example}\`\`\``));
});
