// Builds dist: ECMAScript modules in dist/esm, and the same for `require` in dist/cjs.
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { execPath } from "node:process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const tsc = `${root}/node_modules/typescript/bin/tsc`;

rmSync(`${root}/dist`, { recursive: true, force: true });
for (const project of ["tsconfig.json", "tsconfig.cjs.json"]) {
  execFileSync(execPath, [tsc, "--project", project], { cwd: root, stdio: "inherit" });
}
// The package itself is of ECMAScript modules; this file says that those in dist/cjs are none.
writeFileSync(`${root}/dist/cjs/package.json`, '{ "type": "commonjs" }\n');
