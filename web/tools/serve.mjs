// Serves the pages in front of a node, built again after each change of a source; pages that are
// open load again: node tools/serve.mjs [URL of the node]
//
// /gallery shows every shared component. PORT in the environment names another port than 8471.
//
// The rules for their content are those of the node, so that a page that breaks them breaks here.
import { readFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { extname, join } from "node:path";
import { argv, env, exit, stderr, stdout } from "node:process";
import { fileURLToPath } from "node:url";

import { watch } from "./build.mjs";

const PORT = Number(env.PORT ?? 8471);
const DEFAULT_NODE = "http://127.0.0.1:8470";
const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".map": "application/json",
};
const POLICY =
  "default-src 'self'; img-src 'self' data: blob: https:; media-src 'self' data: blob: https:; " +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'";
const RELOADER = `new EventSource("/dev/reloads").addEventListener("built", () => location.reload());`;

const node = new URL(argv[2] ?? DEFAULT_NODE);
if (node.protocol !== "http:") {
  stderr.write("usage: node tools/serve.mjs [http://HOST:PORT of a node]\n");
  exit(2);
}
const dist = fileURLToPath(new URL("../build/serve", import.meta.url));

/** Answers that wait for the next build. */
const waiting = new Set();

function send(answer, type, content) {
  answer.writeHead(200, {
    "content-type": type,
    "content-security-policy": POLICY,
    "cache-control": "no-store",
  });
  answer.end(content);
}

/** The file behind a path: places within a page are the page. */
function fileOf(path) {
  const page = /^\/(console|label|workbench|gallery)(\/|$)/.exec(path)?.[1];
  if (page !== undefined) return `${page}.html`;
  return /^\/assets\/[\w.-]+$/.test(path) ? path.slice(1) : undefined;
}

function sendFile(answer, name) {
  let content;
  try {
    content = readFileSync(join(dist, name), "utf8");
  } catch {
    answer.writeHead(404).end("there is no such file; the last build may have failed\n");
    return;
  }
  const script = `<script type="module" src="/dev/reload.js"></script></head>`;
  const isPage = extname(name) === ".html";
  send(answer, TYPES[extname(name)], isPage ? content.replace("</head>", script) : content);
}

function pass(asked, answer) {
  const { method, headers } = asked; // `Host` as well: the node compares it with `Origin`
  const passed = request(new URL(asked.url, node), { method, headers }, (reply) => {
    answer.writeHead(reply.statusCode, reply.headers);
    answer.flushHeaders();
    reply.pipe(answer);
    reply.on("error", () => answer.destroy());
  });
  passed.on("error", () => answer.destroy()); // as a node that is not there
  answer.on("close", () => passed.destroy());
  asked.pipe(passed);
}

const server = createServer((asked, answer) => {
  const path = asked.url.split("?", 1)[0];
  const file = fileOf(path);
  if (path === "/") {
    answer.writeHead(302, { location: "/console" }).end();
  } else if (path === "/dev/reload.js") {
    send(answer, TYPES[".js"], RELOADER);
  } else if (path === "/dev/reloads") {
    answer.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    answer.write(":\n\n");
    waiting.add(answer);
    answer.on("close", () => waiting.delete(answer));
  } else if (file !== undefined) {
    sendFile(answer, file);
  } else {
    pass(asked, answer);
  }
});
server.listen(PORT, "127.0.0.1", () => {
  stdout.write(`http://127.0.0.1:${server.address().port}/console, /label, /workbench and /gallery, in front of ${node.origin}\n`);
});

await watch(dist, () => {
  for (const one of waiting) one.write("event: built\ndata: {}\n\n");
});
