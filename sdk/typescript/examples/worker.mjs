import { env } from "node:process";

import { Holdfast, Worker } from "holdfast";

const client = new Holdfast(env.API_URL, { token: env.API_TOKEN });
const worker = new Worker(client, { queue: "mail" });

worker.handle("send", async (task) => {
  console.log(`to ${task.body.to}: ${task.body.text}`);
  return { sent: true };
});

await worker.run({ concurrency: 8 });
