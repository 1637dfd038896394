// node test/dist/support/fetch.js
// Fetches the large things that tests need into the cache, one after the other, while others run that need none of them. What
// fails here is no failure: the test that needs it tries again, and says why it is left out.
import { stderr } from "node:process";
import { furtherAgents, usualAgents } from "./agents/agent-recipes.js";
import { installPackage } from "./packages/install-package.js";
import { installWhenAsked } from "./packages/install-when-asked.js";
import { installVsCode } from "./vscode/install-vscode.js";
import { newestVsCode, oldestVsCode } from "./vscode/vscode-build.js";

const fetches = [
  ...[newestVsCode, oldestVsCode].map((build) => () => installVsCode(build)),
  ...usualAgents.map((agent) => () => installPackage(agent)),
  ...furtherAgents.map((agent) => () => installWhenAsked(agent)),
];
for (const fetch of fetches) {
  await fetch().catch((error: unknown) => stderr.write(`${error instanceof Error ? error.message : String(error)}\n`));
}
