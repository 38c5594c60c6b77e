/** The texts of the console. */

import { general } from "./console/general.js";
import { operations } from "./console/operations.js";
import { overview } from "./console/overview.js";
import { queues } from "./console/queues.js";
import { tasks } from "./console/tasks.js";
import { work } from "./console/work.js";

export const texts = { ...general, ...overview, ...queues, ...tasks, ...work, ...operations };
