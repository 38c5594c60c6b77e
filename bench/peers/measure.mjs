// What the measurements of all peers share: the load, the housekeeping, and how figures are told.
import pg from "pg";

/** 100 bytes of JSON, as Holdfast's own bench gives its tasks. */
export const payload = {
  text: "the quick brown fox jumps over the lazy dog and then it sleeps for a while",
  number: 1,
};

/** Seconds for each measurement, from the command line. */
export const seconds = Number(process.argv[2] ?? 6);

/** The server is told by PGHOST, PGPORT, PGUSER and PGDATABASE; connections go by its socket. */
export const connectionString = `postgres://${process.env.PGUSER}@/${
  process.env.PGDATABASE
}?host=${encodeURIComponent(process.env.PGHOST)}&port=${process.env.PGPORT}`;

export const tell = (name, value, unit) => console.log(JSON.stringify({ name, value, unit }));

/**
 * Vacuums and analyses all the time until the returned function is called. In its first seconds a
 * queue makes more dead rows than a server that looks once a minute can see, and plans from
 * statistics of empty tables; an operator of a busy queue has tuned that.
 */
async function keepHouse() {
  const client = new pg.Client({ connectionString });
  await client.connect();
  let over = false;
  const rounds = (async () => {
    while (!over) {
      await client.query("VACUUM (ANALYZE, SKIP_LOCKED)");
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  })();
  return async () => {
    over = true;
    await rounds;
    await client.end();
  };
}

/**
 * Lets `callers` work for the time of one measurement. Each runs `life` again and again, which
 * answers how many tasks have been enqueued, worked and completed by it.
 */
export async function livesPerSecond(callers, life) {
  const round = async (milliseconds) => {
    const start = performance.now();
    let lives = 0;
    const caller = async () => {
      while (performance.now() - start < milliseconds) {
        const lived = await life(); // `lives += await …` would forget what others add meanwhile
        lives += lived;
      }
    };
    await Promise.all(Array.from({ length: callers }, caller));
    return lives / ((performance.now() - start) / 1000);
  };
  const stop = await keepHouse();
  await round(1000); // warm-up
  const figure = await round(seconds * 1000);
  await stop();
  return figure;
}
