/** Serves the pages in front of a node of a release that has none, and keeps their sessions. */

import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer, request as ask, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};

async function textOf(message: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString("utf8");
}

interface Held {
  token: string;
  session: object;
}

export async function startGate(
  target: string,
  dist: string,
  describe: (token: string) => object | undefined,
): Promise<{ url: string; stop: () => void }> {
  const sessions = new Map<string, Held>();
  const heldBy = (message: IncomingMessage): Held | undefined =>
    sessions.get(/session=([\w-]+)/.exec(message.headers.cookie ?? "")?.[1] ?? "");
  const server: Server = createServer((message, answer) => {
    const path = (message.url ?? "/").split("?")[0] ?? "/";
    const serve = async (): Promise<void> => {
      if (path === "/v1/session") {
        if (message.method === "DELETE") {
          answer.writeHead(204, { "set-cookie": "session=; Max-Age=0; Path=/" }).end();
        } else if (message.method === "POST") {
          const { token = "" } = JSON.parse(await textOf(message)) as { token?: string };
          const session = describe(token);
          if (session === undefined) {
            answer
              .writeHead(401, { "content-type": "application/problem+json" })
              .end('{"code":"not_allowed","title":"","detail":"","retryable":false}');
            return;
          }
          const id = randomUUID();
          sessions.set(id, { token, session });
          answer
            .writeHead(200, {
              "content-type": "application/json",
              "set-cookie": `session=${id}; HttpOnly; SameSite=Strict; Path=/`,
            })
            .end(JSON.stringify(session));
        } else {
          const held = heldBy(message);
          if (held === undefined) answer.writeHead(204).end();
          else {
            const type = { "content-type": "application/json" };
            answer.writeHead(200, type).end(JSON.stringify(held.session));
          }
        }
        return;
      }
      const page = /^\/(console|label)(\/|$)/.exec(path)?.[1];
      const asset = /^\/assets\/[\w.-]+$/.test(path) ? path.slice(1) : undefined;
      const file = page === undefined ? asset : `${page}.html`;
      if (file !== undefined) {
        answer
          .writeHead(200, {
            "content-type": TYPES[file.split(".").pop() ?? ""] ?? "application/octet-stream",
            "content-security-policy":
              "default-src 'self'; img-src 'self' data: blob:; media-src 'self' data: blob:; " +
              "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
            "x-content-type-options": "nosniff",
          })
          .end(await readFile(join(dist, file)));
        return;
      }
      const { cookie: _cookie, ...headers } = message.headers;
      const token = heldBy(message)?.token;
      if (token !== undefined) headers.authorization = `Bearer ${token}`;
      const options = { method: message.method, headers };
      const passed = ask(`${target}${message.url}`, options, (reply) => {
        answer.writeHead(reply.statusCode ?? 502, reply.headers);
        answer.flushHeaders();
        reply.pipe(answer);
        reply.on("error", () => answer.destroy());
      });
      passed.on("error", () => answer.destroy()); // as a node that is not there
      answer.on("close", () => passed.destroy());
      message.pipe(passed);
    };
    serve().catch((error: unknown) => answer.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const stop = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, stop };
}
