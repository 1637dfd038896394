import { product } from "./identity.mjs";
import { bunVersion } from "./release-tools.mjs";

const version = bunVersion();
const repository = "https://github.com/oven-sh";

/**
 * Runtime that every executable contains in addition to the bundle, in the format of thirdPartyNotices' and runtimePart's packages.
 * `text` meets the obligations of Bun's license, since the npm package has no license text.
 */
export const executableRuntime = {
  name: "bun",
  version,
  license: "MIT",
  text: `The executable is Bun with the command inside. Bun is made by Oven and its contributors, under the MIT license. It links
JavaScriptCore and parts of WebKit statically, which are under the GNU Lesser General Public License, version 2, and other
libraries, each under a license of its own. All of them are listed, with their licenses and the way to link Bun anew, in

${repository}/bun/blob/bun-v${version}/LICENSE.md

The source of JavaScriptCore as Bun uses it is at ${repository}/WebKit.
With a Bun of one's own the executable is made again from the npm package ${product.npmPackage}, whose license allows it:

bun build --compile bin/${product.command}.cjs`,
};
