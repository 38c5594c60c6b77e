/** Work of all kinds for the pages of the console: done by real workers and contributors. */

import type { Holdfast } from "holdfast";

export interface Data {
  /** A dead task of queue `mail`. */
  deadTask: string;
  completedTask: string;
  /** A dead task of queue `orders` with three attempts. */
  retriedTask: string;
  /** A task of queue `mail` that a worker holds. */
  runningTask: string;
  /** A task of queue `mail` that is due in an hour. */
  laterTask: string;
  workflow: string;
  /** The first step of the workflow. */
  step: string;
  /** A unit of the first step. */
  unit: string;
}

export const STACK = `SmtpError: connection refused
    at Connection.open (smtp.js:81:13)
    at Mailer.send (mailer.js:24:5)`;

const GATEWAY = "GatewayError: 502 Bad Gateway\n    at charge (gateway.ts:57:11)";

async function completeSome(
  api: Holdfast,
  queue: string,
  worker: string,
  limit: number,
): Promise<string> {
  const claimed = await api.claimTasks(queue, { worker, limit });
  const tasks = claimed?.tasks ?? [];
  const outcomes = tasks.map(({ id, token }) => ({ task: id, token, result: { sent: true } }));
  await api.reportTasks(queue, { worker, outcomes });
  return tasks[0]?.id ?? "";
}

async function failSome(
  api: Holdfast,
  queue: string,
  limit: number,
  kind: "transient" | "permanent",
  code: string,
): Promise<string> {
  const worker = "mailer-2";
  const claimed = await api.claimTasks(queue, { worker, limit });
  const tasks = claimed?.tasks ?? [];
  for (const { id, token } of tasks) {
    await api.failTask(id, { queue, worker, token, kind, code, detail: STACK });
  }
  return tasks[0]?.id ?? "";
}

/** A task that fails, is given back, and fails again for good. */
async function makeRetriedTask(api: Holdfast): Promise<string> {
  await api.putQueue("orders", {
    retry: { max_attempts: 2, least_seconds: 0.05, most_seconds: 0.1 },
  });
  const body = { order: 4711, amount: 25.5, currency: "EUR" };
  const { id = "" } = await api.makeTasks("orders", { type: "charge", body, owner_id: "shop" });
  const claim = async (worker: string): Promise<number> => {
    const claimed = await api.claimTasks("orders", { worker, wait: 20 });
    return claimed?.tasks[0]?.token ?? 0;
  };
  const error = { kind: "transient", code: "CARD_GATEWAY", detail: GATEWAY } as const;
  await api.failTask(id, { worker: "till-1", token: await claim("till-1"), ...error });
  await api.releaseTask(id, { worker: "till-2", token: await claim("till-2") });
  await api.failTask(id, { worker: "till-3", token: await claim("till-3"), ...error });
  return id;
}

/** `mail` with tasks in every state, `images` paused, `reports` with schedules. */
async function makeQueues(api: Holdfast): Promise<Omit<Data, "workflow" | "step" | "unit">> {
  await api.putQueue("mail", {
    lease: { ttl_seconds: 600 },
    retry: { max_attempts: 1, least_seconds: 0.1, most_seconds: 1 },
    running_max: 50,
  });
  const mails = Array.from({ length: 60 }, (_, place) => ({
    type: place % 3 === 0 ? "newsletter" : "send",
    body: { to: `person-${place}@example.org`, text: "Your order has been sent." },
    key: place % 2 === 0 ? "gold" : "free",
  }));
  await api.makeTasks("mail", { tasks: mails });
  const completedTask = await completeSome(api, "mail", "mailer-1", 32);
  const deadTask = await failSome(api, "mail", 7, "transient", "SMTP_DOWN");
  await failSome(api, "mail", 2, "permanent", "BAD_ADDRESS");
  const held = await api.claimTasks("mail", { worker: "mailer-3", limit: 3 });
  const later = await api.makeTasks("mail", { type: "reminder", body: {}, delay: 3600 });

  await api.putQueue("images", {});
  await api.makeTasks("images", {
    tasks: Array.from({ length: 5 }, (_, place) => ({ type: "resize", body: { image: place } })),
  });
  await api.pauseQueue("images");

  await api.putQueue("reports", {});
  await api.putSchedule("reports", "daily", {
    cron: "0 6 * * MON-FRI",
    time_zone: "Europe/Berlin",
    task: { type: "report.daily", body: { format: "pdf" } },
  });
  return {
    completedTask,
    deadTask,
    runningTask: held?.tasks[0]?.id ?? "",
    laterTask: later.id ?? "",
    retriedTask: await makeRetriedTask(api),
  };
}

async function makeWorkflow(api: Holdfast): Promise<Pick<Data, "workflow" | "step" | "unit">> {
  const { workflow_id, steps } = await api.createWorkflow({
    name: "sentiment",
    steps: [
      {
        key: "label",
        title: "Is the text friendly?",
        judgments_per_unit: 2,
        judgment_schema: {
          type: "object",
          properties: { answer: { type: "string", enum: ["yes", "no"] } },
          required: ["answer"],
        },
        next: ["review"],
      },
      { key: "review", judgments_per_unit: 1 },
    ],
  });
  const step = steps[0]?.id ?? "";
  await api.addSourceData(step, {
    rows: Array.from({ length: 24 }, (_, place) => ({
      key: `text-${place + 1}`,
      input: { text: `Thank you for number ${place + 1}.` },
    })),
  });
  let unit = "";
  for (const contributor_id of ["ana", "ben"]) {
    for (let place = 0; place < 10; place++) {
      const one = await api.assign({ step_id: step, contributor_id });
      if (one === undefined) break;
      const { unit_id, token } = one;
      unit = unit_id;
      const data = { answer: place === 3 && contributor_id === "ben" ? "no" : "yes" };
      await api.submitJudgment({ step_id: step, unit_id, contributor_id, token, data });
    }
  }
  await api.assign({ step_id: step, contributor_id: "cem" });
  return { workflow: workflow_id, step, unit };
}

/** A webhook into a queue that refuses its events, so that there are dead letters. */
async function makeWebhooks(api: Holdfast): Promise<void> {
  await api.putQueue("feed", { types: { event: { versions: { "7": {} } } } });
  await api.putWebhook("feed", { queue: "feed", types: ["UnitFinalized"], start: "oldest" });
  await api.putWebhook("billing", { url: "https://example.org/hooks", secret: "billing" });
  await api.pauseWebhook("billing");
}

async function makeTokens(api: Holdfast): Promise<void> {
  await api.createToken({ role: "producer", queues: ["mail", "img-"], expires_in: 86_400 });
  await api.createToken({ role: "worker", worker: "mailer-1", queues: ["mail"] });
  await api.createToken({ role: "contributor", contributor: "ana", expires_in: 3600 });
  const { id } = await api.createToken({ role: "auditor" });
  await api.revokeToken(id);
}

export async function makeData(api: Holdfast): Promise<Data> {
  await makeTokens(api);
  const queues = await makeQueues(api);
  const work = await makeWorkflow(api);
  await makeWebhooks(api);
  return { ...queues, ...work };
}
