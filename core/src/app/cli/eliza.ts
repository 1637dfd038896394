import { defaultSettings } from "../../settings/settings-table.js";
import { makeEliza } from "../components.js";
import { openEnvironment } from "../environment.js";
import { assertAgentAllowed } from "../organisation.js";
import { openChain, serveChain } from "../serve-chain.js";
import { commonOptions } from "./options.js";
import { subcommand } from "./subcommand.js";

export const eliza = subcommand({
  name: "eliza",
  about: "Start Eliza, an agent that needs no model, over stdio.",
  options: { deterministic: { about: "always give the same answer to the same input" }, ...commonOptions },
  async run({ values }) {
    await assertAgentAllowed("eliza");
    const environment = await openEnvironment({ values, settings: defaultSettings });
    const agent = await makeEliza(values.deterministic === true, environment);
    const plan = { proxies: [], agent: { kind: "agent", agent } } as const;
    return serveChain(environment, (client, hooks) => openChain(plan, environment, client, hooks));
  },
});
