// pg-boss in its fastest form: whole batches are inserted, fetched and completed.
import PgBoss from "pg-boss";
import { connectionString, livesPerSecond, payload, tell } from "./measure.mjs";

const queue = "bench";
const boss = new PgBoss({ connectionString, max: 20, supervise: false, schedule: false });
boss.on("error", (error) => console.error(error));
await boss.start();
await boss.createQueue(queue);

/** One caller's life of `size` tasks: each step is answered after its commit. */
const life = (size) => async () => {
  if (size === 1) await boss.send(queue, payload);
  else await boss.insert(Array.from({ length: size }, () => ({ name: queue, data: payload })));
  const jobs = await boss.fetch(queue, { batchSize: size });
  if (jobs.length > 0)
    await boss.complete(
      queue,
      jobs.map((job) => job.id),
    );
  return jobs.length;
};

tell("peers.pg_boss.one_by_one.16.lives", await livesPerSecond(16, life(1)), "1/s");
tell("peers.pg_boss.batch_1000.8.lives", await livesPerSecond(8, life(1000)), "1/s");
await boss.stop({ graceful: false });
