// Bundles the command into one folder: a program, the few files that every start of a chain reads, and those that are
// loaded when they are asked for.
import { chmod, rename, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { commandBuild } from "./bundle/command-build.mjs";
import { splitBuild } from "./bundle/split-build.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = `${root}core/dist/bin`;
// Built aside and renamed: whoever starts meanwhile finds one whole bundle, the old or the new.
const outdir = `${target}.${process.pid}`;

const runs = /^core\/src\/app\/(?:cli\/run(?:-with)?|serve-chain)\.ts$/;
const choices = /^core\/src\/app\/(?:serve-switchable-chain|(?:chain|setup)-choices|cli\/(?:setup|zed\/run))\.ts$/;
const mcpClient = /^core\/src\/context\/servers\/node\/mcp-client\.ts$/;
/** Each start of a sandbox waits for this process. */
const watcher = /^core\/src\/app\/cli\/sandbox-watch\.ts$/;
const sandbox = /^core\/src\/guard\/node\/(?:sandbox\/agent-sandbox|network\/sandbox-hosts)\.ts$/;

const inputs = await splitBuild(commandBuild, {
  outdir: `${outdir}/chunks`,
  // Files that the start of a chain reads, in this order. The smallest processes, MCP servers and their shims, read some of them.
  first: [
    { name: "command", entries: /^core\/src\/app\/cli\/main\.ts$/ },
    { name: "thin", entries: /^core\/src\/app\/cli\/(?:through-host|mcp-shim)\.ts$/ },
    { name: "thin", entries: runs, others: watcher },
    { name: "base", entries: /^core\/src\/app\/cli\/mcp(?:\/serve)?\.ts$/ },
    {
      name: "chain",
      entries:
        /^core\/src\/(?:app\/cli\/run(?:-with)?|app\/read-user-config|context\/servers\/node\/servers-in-config)\.ts$/,
    },
    { name: "chain", entries: runs, others: sandbox },
    // Loaded while the agent's process starts.
    { name: "serve", entries: /^core\/src\/app\/serve-chain\.ts$/ },
    { name: "serve", entries: choices, others: /^core\/src\/app\/cli\/sign-in\.ts$/ },
    {
      name: "serve",
      entries: mcpClient,
      others: /^core\/src\/context\/servers\/(?:server-hub|direct-or-searched-tools)\.ts$/,
    },
    { name: "words", entries: /^core\/src\/app\/cli\/command-line\.ts$/ },
  ],
  shared: [
    { name: "protected-names", entries: sandbox, others: /^core\/src\/extensions\/ide-operations\/[\w-]+\.ts$/ },
    { name: "sandbox-paths", entries: sandbox, others: watcher },
  ],
  // Parts that sessions start with, unless the user turns them off.
  together: [
    {
      name: "session",
      groups: [
        ...["sparkle", "ferris", "cargo", "ide-operations", "test-tools", "sources"].map((name) => ({
          name,
          entries: new RegExp(`^core/src/extensions/${name}/(?!(?:test|check)-runs)[\\w-]+\\.ts$`),
        })),
        {
          name: "context",
          entries:
            /^core\/src\/(?:context\/node\/[a-z]+-source|settings\/context-settings|agents\/recommendations\/node\/allowed-skills)\.ts$/,
        },
      ],
    },
  ],
  // What is loaded together.
  later: [
    { name: "choices", entries: choices },
    { name: "budgets", entries: /^core\/src\/guard\/(?:budget-use|budgeted-turn)\.ts$/ },
    {
      name: "sandbox",
      entries: sandbox,
      // Subcommands and questions about the sandbox, which users see rarely.
      others: /^core\/src\/(?:app\/cli\/(?:doctor|guard\/\w+)|guard\/node\/(?:agent-protection|sandbox\/[\w-]+))\.ts$/,
    },
    { name: "eliza", entries: /^core\/src\/(?:agents\/eliza\/eliza-agent|context\/servers\/node\/mcp-client)\.ts$/ },
    // The proxy starts with every session; what runs and reads comes with the first call of a tool.
    {
      name: "test-runs",
      entries: /^core\/src\/extensions\/test-tools\/(?:(?:test|check)-runs|node\/(?:jvm-)?projects)\.ts$/,
    },
  ],
});
const load = `require("./chunks/command.cjs");\n`;
await writeProgram("symposium-acp-agent.cjs", load);
// For who imports the command, or has its older name in settings. Node reads CommonJS twice that a module imports.
await writeProgram(
  "symposium-acp-agent.mjs",
  `import { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);\n${load}`,
);
// Lists the bundled inputs, which determine the packages whose licences are included.
await writeFile(`${root}core/dist/bundled-inputs.json`, JSON.stringify(inputs));
const old = `${outdir}.old`;
await rename(target, old).catch(() => undefined);
await rename(outdir, target);
await rm(old, { recursive: true, force: true });

async function writeProgram(name, text) {
  await writeFile(`${outdir}/${name}`, `#!/usr/bin/env node\n${text}`);
  await chmod(`${outdir}/${name}`, 0o755);
}
