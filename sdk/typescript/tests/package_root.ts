import { fileURLToPath } from "node:url";

/** The folder of the package. This file is built to build/tests. */
export const PACKAGE = fileURLToPath(new URL("../..", import.meta.url));
