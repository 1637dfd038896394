import { Logger } from "../../../src/base/logger.js";
import { startProcess } from "../../../src/base/node/child-component.js";
import { Installer } from "../../../src/agents/install/installer.js";
import { Watchdog } from "../../../src/base/node/orphan-watchdog.js";
import type { InstallPlan } from "../../../src/agents/registry/start-plan.js";

/** Request to an installing process, as JSON in its only argument. */
export interface ChildRequest {
  readonly folder: string;
  readonly plan: InstallPlan;
  /** `InstallPoint` or progress step at which the process is killed. */
  readonly killAt?: string;
  /** `InstallPoint` at which the process prints `here` and waits forever. */
  readonly hangAt?: string;
}

const { folder, plan, killAt, hangAt } = JSON.parse(process.argv[2] ?? "") as ChildRequest;
const reach = (place: string): void => {
  if (place === killAt) process.kill(process.pid, "SIGKILL");
};
const watchdog = new Watchdog();
const logger = Logger.silent;
const installer = new Installer({
  folder,
  logger,
  env: process.env,
  node: process.execPath,
  startProcess: startProcess({ logger, watchdog }),
  atPoint: async (point) => {
    reach(point);
    if (point !== hangAt) return;
    process.stdout.write("here\n");
    const keepAlive = setInterval(() => undefined, 1_000_000);
    await new Promise(() => keepAlive);
  },
});
const installed = await installer.install(plan, { onProgress: ({ step }) => reach(step) });
process.stdout.write(JSON.stringify(installed));
watchdog[Symbol.dispose]();
