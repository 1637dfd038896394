// node scripts/docs-screenshots.mjs: takes the documentation's pictures again and saves them in docs/images. Uses a real VS Code and a
// real agent whose model is scripted. Look at each picture before you commit it.
import { mkdir, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { fail, root, run } from "./set-up.mjs";

const images = join(root, "docs/images");
const maxBytes = 200_000;
const maxPartBytes = 60_000;
const maxAnimationBytes = 1_000_000;
const size = { width: 1200, height: 720 };
const scale = 1.5;
const before = `export interface Item {
  readonly name: string;
  readonly price: number;
  readonly count: number;
}

/** What the items cost together; \`discount\` is a share, such as 0.1. */
export function total(items: readonly Item[], discount = 0): number {
  const sum = items.reduce((all, { price, count }) => all + price * count, 0);
  return sum;
}
`;
/** Unsaved texts; `main.py` uses the other file's. */
const python = {
  "shapes.py": "def area(side: int) -> int:\n    return side * side\n",
  "main.py": 'from shapes import area\n\nprint(area("two"))',
};
const change = { oldString: "  return sum;\n", newString: "  return sum * (1 - discount);\n" };
const prompt = "total() in cart.ts ignores the discount. Please mend it.";
const answer = "`total` now takes the discount off the sum. A call without a discount gives the same result as before.";

if (run("node", [join(root, "scripts/package-extension.mjs")]) !== 0) fail("The package failed: see above.");
const support = join(root, "test/dist/support");
await readdir(support).catch(() => fail("Compile the tests first: npx tsc -b test."));
const part = (path) => import(pathToFileURL(join(support, path)).href);
const { VsCode } = await part("vscode/vscode.js");
const { VsCodeWindow } = await part("vscode/vscode-window.js");
const { newestVsCode } = await part("vscode/vscode-build.js");
const { ChatView } = await part("vscode/chat-view.js");
const { SettingsView } = await part("vscode/settings-view.js");
const { callToolWith, say, toolNames } = await part("fake-model/script.js");
const { startFakeModel } = await part("fake-model/fake-model.js");
const { agentCommand } = await part("agents/agent-command.js");
const { opencode: recipe } = await part("agents/agent-recipes.js");
const { installPackage } = await part("packages/install-package.js");
const { pyright } = await part("packages/pyright.js");
const { createRunFolder } = await part("run-folder.js");

await using stack = new AsyncDisposableStack();
const folder = stack.use(await createRunFolder("docs"));
const script = [
  callToolWith(toolNames.read, { filePath: "cart.ts" }),
  callToolWith(/^edit$/, { filePath: "cart.ts", ...change }),
  say(answer),
];
const model = stack.use(await startFakeModel({ script }));
const installation = await installPackage(recipe);
// From here on a failure has to end what was started.
if (installation.kind !== "installed") throw new Error(installation.reason);
const { words, env } = await agentCommand(recipe, installation.binFolder, folder, model.url);
const [command, ...args] = words;
const agent = { name: "OpenCode", command, args, env: withPlainNames(env) };
const code = stack.use(
  await VsCode.start({
    build: newestVsCode,
    vsix: await packaged(),
    settings: {
      "symposium.agents": { opencode: agent },
      "symposium.currentAgentId": "opencode",
      // Hides elements that appear and disappear by themselves.
      "editor.minimap.enabled": false,
      "editor.occurrencesHighlight": "off",
      "editor.scrollbar.horizontal": "hidden",
      "editor.scrollbar.vertical": "hidden",
      "git.enabled": false,
    },
  }),
);
// Disables the registry, because its contents change from day to day.
await mkdir(join(code.folder.home, ".symposium"));
await writeFile(
  join(code.folder.home, ".symposium/config.jsonc"),
  `{ "registryUrl": "", "registryFallbackUrl": "" }\n`,
);
await mkdir(images, { recursive: true });
// Its path can be read in the pictures.
const projects = join(tmpdir(), "symposium-docs");
await mkdir(projects).catch((cause) => {
  throw new Error(`Another run uses ${projects}; where none does, remove it.`, { cause });
});
stack.defer(() => rm(projects, { recursive: true, force: true }));

await takePictures("dark", ["review", "agents"]);
await takePictures("light", ["permission", "review"]);
await takeLanguageFeatures();
await takeAnimation();

/** Has the agent mend a file in a window of its own, and takes the pictures that are wanted on the way. */
async function takePictures(theme, wanted) {
  const chat = await openChat(theme);
  const take = (name) => wanted.includes(name) && save(chat.window, `${name}-${theme}`);
  await chat.send(prompt);
  const allow = chat.permission.getByRole("button", { name: /allow/i }).first();
  await allow.waitFor();
  await take("permission");
  await allow.click();
  await chat.ends.waitFor();
  await chat.window.page.getByText("Keep", { exact: true }).first().waitFor();
  const editor = await chat.window.page.locator(".part.editor .monaco-editor").first().boundingBox();
  if (theme === "dark") await savePart(chat.window, "review", { ...editor, height: 260 });
  await take("review");
  await SettingsView.open(chat.window);
  await take("agents");
  await chat.window[Symbol.asyncDispose]();
}

/** Takes the animated picture of a turn and its review: prompt, permission, marked change, kept change. */
async function takeAnimation() {
  const chat = await openChat("dark", { deviceScaleFactor: 1 });
  const { page } = chat.window;
  const frames = [];
  const take = async (seconds) => {
    const name = `frame-${frames.length}.png`;
    await page.screenshot({ path: join(projects, name), animations: "disabled", caret: "hide" });
    frames.push(`file ${name}\nduration ${seconds}\n`);
  };
  await chat.prompt.fill(prompt);
  await take(3);
  await chat.send(prompt);
  const allow = chat.permission.getByRole("button", { name: /allow/i }).first();
  await allow.waitFor();
  await allow.hover();
  await take(4);
  await allow.click();
  await chat.ends.waitFor();
  const keep = page.locator(".codelens-decoration a").getByText("Keep", { exact: true });
  await keep.first().hover();
  await take(6);
  await keep.first().click();
  await keep.first().waitFor({ state: "detached" });
  await take(4);
  await chat.window[Symbol.asyncDispose]();
  // The last frame counts only if it is named twice.
  await writeFile(join(projects, "frames.txt"), [...frames, frames.at(-1).split("\n")[0]].join(""));
  const palette = "split[a][b];[a]palettegen=max_colors=96[p];[b][p]paletteuse=dither=none";
  const target = join(images, "review.gif");
  const words = ["-v", "error", "-y", "-f", "concat", "-i", join(projects, "frames.txt"), "-vf", palette, target];
  if (run("ffmpeg", words) !== 0) throw new Error("ffmpeg failed: see above. Install it to make the animated picture.");
  const { size: bytes } = await stat(target);
  if (bytes > maxAnimationBytes)
    throw new Error(`review.gif has ${bytes} bytes, and at most ${maxAnimationBytes} are wanted.`);
  console.log(`docs/images/review.gif: ${bytes} bytes`);
}

/** Takes the picture of language features for unsaved Python, with the real pyright and without an extension for Python. */
async function takeLanguageFeatures() {
  const installed = await installPackage(pyright);
  if (installed.kind !== "installed") throw new Error(installed.reason);
  const server = { command: process.execPath, args: [join(installed.binFolder, "pyright-langserver"), "--stdio"] };
  const options = { languageServers: { pyright: { ...server, readiness: "none" } } };
  await using own = await VsCode.start({
    build: newestVsCode,
    vsix: await packaged(),
    settings: {
      "files.autoSave": "off",
      "editor.autoIndent": "none",
      "editor.lightbulb.enabled": "off",
      "editor.minimap.enabled": false,
      "git.enabled": false,
      "workbench.colorTheme": "Default Light Modern",
      "symposium.extensions": [{ id: "ide-operations", _enabled: true, _source: "built-in", options }],
    },
  });
  const workspace = join(projects, "python", "shapes");
  await mkdir(workspace, { recursive: true });
  const viewport = { width: 900, height: 480 };
  const context = await own.browser.newContext({ viewport, deviceScaleFactor: scale, reducedMotion: "reduce" });
  const window = await VsCodeWindow.open(context, own.server, { workspace });
  for (const [name, text] of Object.entries(python)) {
    await writeFile(join(workspace, name), "");
    await window.openFile(name);
    await window.page.locator(".monaco-editor .view-lines").first().click();
    await window.page.keyboard.insertText(text);
  }
  await window.run("View: Toggle Problems");
  await window.page
    .getByText(/cannot be assigned/)
    .first()
    .waitFor();
  await window.run("View: Focus Active Editor Group");
  await window.page.keyboard.press("Home");
  for (let at = 0; at < 8; at++) await window.page.keyboard.press("ArrowRight");
  await window.run("Show or Focus Hover");
  await window.page.locator(".monaco-hover").getByText("def").first().waitFor();
  // Moving the mouse would hide the hover.
  await write(window, "language-features");
}

/** A chat with the agent beside the file that it is to change. */
async function openChat(theme, { deviceScaleFactor = scale } = {}) {
  const workspace = join(projects, theme, "shop");
  await rm(workspace, { recursive: true, force: true });
  await mkdir(workspace, { recursive: true });
  await writeFile(join(workspace, "cart.ts"), before);
  // The agent names files from the root of their repository.
  const identity = ["-c", "user.name=docs", "-c", "user.email=docs@localhost"];
  for (const words of [
    ["init", "--quiet"],
    ["add", "."],
    [...identity, "commit", "--quiet", "--message", "A cart"],
  ]) {
    if (run("git", words, { cwd: workspace }) !== 0) throw new Error("git failed: see above.");
  }
  const context = await code.browser.newContext({ viewport: size, deviceScaleFactor, reducedMotion: "reduce" });
  const window = await VsCodeWindow.open(context, code.server, { workspace });
  const chat = await ChatView.open(window);
  await window.useTheme(theme);
  await widenSideBar(window);
  await chat.choose("OpenCode");
  await window.openFile("cart.ts");
  return chat;
}

async function widenSideBar({ page }) {
  const edge = await page.locator(".part.sidebar").boundingBox();
  const from = edge.x + edge.width;
  await page.mouse.move(from, size.height / 2);
  await page.mouse.down();
  await page.mouse.move(from + 100, size.height / 2, { steps: 4 });
  await page.mouse.up();
}

/** The scripted model under a name that needs no explanation. */
function withPlainNames({ OPENCODE_CONFIG_CONTENT: config, ...rest }) {
  return {
    ...rest,
    OPENCODE_CONFIG_CONTENT: config
      .replaceAll('"Fake"', '"Example"')
      .replaceAll('"m1"', '"model"')
      .replaceAll("fake/m1", "fake/model"),
  };
}

async function save(window, name) {
  await window.page.mouse.move(size.width / 2, size.height - 1);
  await write(window, name);
}

/** Saves a part of the window for the walkthrough, whose picture is in the package and therefore small. */
async function savePart(window, name, clip) {
  const picture = await window.page.screenshot({ clip, animations: "disabled", caret: "hide" });
  if (picture.length > maxPartBytes)
    throw new Error(`${name} has ${picture.length} bytes, and at most ${maxPartBytes} are wanted.`);
  await writeFile(join(root, `vscode-extension/media/walkthrough/${name}.png`), picture);
}

/** Saves a picture, and refuses one that makes the repository heavy. */
async function write(window, name) {
  const picture = await window.page.screenshot({ animations: "disabled", caret: "hide" });
  if (picture.length > maxBytes) {
    throw new Error(`${name} has ${picture.length} bytes, and at most ${maxBytes} are wanted.`);
  }
  await writeFile(join(images, `${name}.png`), picture);
  console.log(`docs/images/${name}.png: ${picture.length} bytes`);
}

async function packaged() {
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  return join(root, `vscode-extension/dist/symposium-${version}.vsix`);
}
