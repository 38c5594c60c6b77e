// What the measurements of all peers share: the load, and how figures are told.

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
 * Lets `callers` work for the time of one measurement. Each runs `life` again and again, which
 * answers how many tasks have been enqueued, worked and completed by it.
 */
export async function livesPerSecond(callers, life) {
  const round = async (milliseconds) => {
    const start = performance.now();
    let lives = 0;
    const caller = async () => {
      while (performance.now() - start < milliseconds) lives += await life();
    };
    await Promise.all(Array.from({ length: callers }, caller));
    return lives / ((performance.now() - start) / 1000);
  };
  await round(500); // warm-up
  return round(seconds * 1000);
}
