// node test/dist/support/fetch.js walks|all
// Fetches the large packages that the chosen tests need into the cache, one after the other, while other tests run. A failure here
// fails no test: the test that needs the package tries again, and skips itself with the reason.
import { argv, stderr } from "node:process";
import { agents, walkedAgents } from "./agents/agent-recipes.js";
import { installPackage } from "./packages/install-package.js";
import { installVsCode } from "./vscode/install-vscode.js";
import { newestVsCode, oldestVsCode } from "./vscode/vscode-build.js";

const needed =
  argv[2] === "walks"
    ? { editors: [newestVsCode], packages: walkedAgents }
    : { editors: [newestVsCode, oldestVsCode], packages: agents };
const fetches = [
  ...needed.packages.map((agent) => () => installPackage(agent)),
  ...needed.editors.map((build) => () => installVsCode(build)),
];
for (const fetch of fetches) {
  await fetch().catch((error: unknown) => stderr.write(`${error instanceof Error ? error.message : String(error)}\n`));
}
