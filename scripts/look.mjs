// node scripts/look.mjs [NAME] [--theme light|dark|high-contrast] [--oldest] [--do FILE.mjs]
// Bundles the extension, opens it in a VS Code of its own and saves test-output/screenshots/NAME.png. FILE.mjs may bring the
// window into another state first: its default export gets { window, chat, code }.
import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { fail, root, run } from "./set-up.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    theme: { type: "string" },
    oldest: { type: "boolean" },
    do: { type: "string" },
  },
});
if (run("node", [join(root, "scripts/bundle-extension.mjs")]) !== 0) fail("The bundle failed: see above.");
const support = join(root, "test/dist/support/vscode");
await readdir(support).catch(() => fail("Compile the tests first: npx tsc -b test."));
const { VsCode } = await import(pathToFileURL(join(support, "vscode.js")).href);
const { newestVsCode, oldestVsCode } = await import(pathToFileURL(join(support, "vscode-build.js")).href);
const { ChatView } = await import(pathToFileURL(join(support, "chat-view.js")).href);

let window;
const code = await VsCode.start({ build: values.oldest ? oldestVsCode : newestVsCode });
try {
  window = await code.openWindow({ developmentPath: join(root, "vscode-extension") });
  if (values.theme !== undefined) await window.useTheme(values.theme);
  const { page: chat } = await ChatView.open(window);
  if (values.do !== undefined) {
    const steps = await import(pathToFileURL(resolve(values.do)).href);
    await steps.default({ window, chat, code });
  }
} finally {
  if (window !== undefined) {
    console.log(await window.screenshot(positionals[0] ?? "look"));
    for (const error of window.errors) console.log(error);
  }
  await code[Symbol.asyncDispose]();
}
