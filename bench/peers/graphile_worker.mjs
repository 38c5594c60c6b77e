// Graphile Worker in its fastest documented form: a local queue of 500 and completions in batches.
// One by one it is measured with and without them, and the better one counts.
import pg from "pg";
import { Logger, makeWorkerUtils, run } from "graphile-worker";
import { connectionString, livesPerSecond, payload, tell } from "./measure.mjs";

const logger = new Logger(() => () => {});
const utils = await makeWorkerUtils({ connectionString, logger });
await utils.migrate();

/**
 * A pool that tells `ended` of each job whose completion has been committed. Graphile Worker's own
 * `job:complete` comes before that: it does not wait for the statement that it sends.
 */
function poolTelling(ended) {
  class ObservedClient extends pg.Client {
    query(query, ...rest) {
      const answer = super.query(query, ...rest);
      if (query?.name?.startsWith("complete_job"))
        answer.then(() => [query.values[0]].flat().forEach((id) => ended(String(id))));
      return answer;
    }
  }
  const pool = new pg.Pool({ connectionString, max: 12, Client: ObservedClient });
  const onError = (error) => console.error(error);
  pool.on("error", onError);
  pool.on("connect", (client) => client.on("error", onError));
  return pool;
}

/** Runs `measure` beside a worker, which it is told of the jobs that are completed by. */
async function beside(worker, measure) {
  const done = new Map(); // by job id: who waits for it, or true when nobody does yet
  let completed = 0;
  const pool = poolTelling((id) => {
    ++completed;
    const waiting = done.get(id);
    if (typeof waiting === "function") waiting();
    else done.set(id, true);
  });
  const runner = await run({
    pgPool: pool,
    logger,
    noHandleSignals: true,
    taskList: { noop: async () => {} },
    preset: { worker: { concurrentJobs: 24, ...worker } },
  });
  const finished = (id) =>
    done.get(id) === true ? Promise.resolve() : new Promise((resolve) => done.set(id, resolve));
  const figure = await measure({ finished, done, completed: () => completed });
  await runner.stop();
  await pool.end();
  return figure;
}

const oneByOne = ({ finished, done }) =>
  livesPerSecond(16, async () => {
    const job = await utils.addJob("noop", payload);
    await finished(String(job.id));
    done.delete(String(job.id));
    return 1;
  });

/** Eight callers add 1,000 jobs at a time and wait until as many have been completed. */
const inBatches = async ({ done, completed }) => {
  let added = 0;
  const life = async () => {
    await utils.addJobs(
      Array.from({ length: 1000 }, () => ({ identifier: "noop", payload })),
    );
    added += 1000;
    const mine = added;
    while (completed() < mine) await new Promise((resolve) => setTimeout(resolve, 2));
    done.clear();
    return 1000;
  };
  return livesPerSecond(8, life);
};

const fastest = { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 };
tell(
  "peers.graphile_worker.one_by_one.16.lives",
  Math.max(await beside({}, oneByOne), await beside(fastest, oneByOne)),
  "1/s",
);
tell("peers.graphile_worker.batch_1000.8.lives", await beside(fastest, inBatches), "1/s");
await utils.release();
