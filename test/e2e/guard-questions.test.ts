import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { lookup } from "node:dns/promises";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { keepAliveMs } from "#core/base/node/loopback-server.js";
import type { AgentRecipe } from "../support/agents/agent-recipe.js";
import { agents } from "../support/agents/agent-recipes.js";
import { conductorWords, shellWords } from "../support/conductor-command.js";
import { callTool, callToolWith, say, type ScriptStep, toolNames } from "../support/fake-model/script.js";
import { needsSandbox } from "../support/needs-sandbox.js";
import { repositoryRoot } from "../support/repository.js";
import { usePackage } from "../support/packages/use-package.js";
import { skipAllBecause, useTestScope } from "../support/test-scope.js";
import { openSession } from "../support/agents/agent-session.js";
import { scaledMs } from "../support/until.js";

const guards = ["off", "rules", "sandbox"] as const;
type Guard = (typeof guards)[number];

const files = ["one.txt", "two.txt", "three.txt"];

for (const recipe of agents) {
  describe(`the questions of ${recipe.name} ${recipe.version}`, function () {
    this.timeout(scaledMs(400_000));
    before(async function () {
      needsSandbox(this);
      const named = await lookup(hostname()).catch(() => undefined);
      if (!named) skipAllBecause(this, `the name of this machine, ${hostname()}, has no address`);
    });
    const binFolder = usePackage(recipe);
    const scope = useTestScope();

    it("about a task are as many as the page says, and in the sandbox those about the network alone", async function () {
      const bin = binFolder(this);
      const page = readFileSync(join(repositoryRoot, "docs", "sandbox.md"), "utf8").replaceAll("\n", " ");
      assert.ok(page.includes("In the sandbox, each agent asked twice"), "docs/sandbox.md");
      assert.ok(
        page.includes("Without the sandbox, Codex asked twice, and each other agent asked six times."),
        "docs/sandbox.md",
      );
      const asked = new Map<Guard, readonly string[]>();
      for (const guard of guards) asked.set(guard, await questionsOf(recipe, bin, guard, scope()));
      const counts = guards.map((guard) => asked.get(guard)?.length ?? 0);
      const shown = JSON.stringify([...asked], undefined, 1);
      const [off = 0, rules = 0, sandbox = 0] = counts;
      assert.ok(sandbox <= off && sandbox <= rules && sandbox <= 2, shown);
      const kinds = (asked.get("sandbox") ?? []).map((title) => /^Package registries: |^[\w.-]+:\d+$/.exec(title)?.[0]);
      assert.ok(!kinds.includes(undefined), shown);
      assert.deepEqual(counts, recipe.name === "codex" ? [2, 2, 2] : [6, 6, 2], shown);
    });
  });
}

/**
 * Has the agent write three files, run the tests, install a package and fetch a page, and checks that it has done so. The titles
 * of what its user is asked, who allows everything once.
 */
async function questionsOf(
  recipe: AgentRecipe,
  binFolder: string,
  guard: Guard,
  scope: AsyncDisposableStack,
): Promise<readonly string[]> {
  const isInside = guard === "sandbox";
  const place = await standIns(scope);
  const own = recipe.name === "codex" && isInside ? undefined : recipe.mode;
  // Signing in writes settings, which is done outside.
  const { authMethod: _none, ...signedIn } = recipe;
  const agent = {
    recipe: recipe.name === "qwen" && isInside ? signedIn : recipe,
    binFolder,
    route: {
      name: guard,
      words: (words: readonly string[]) => [
        ...[...conductorWords, "run-with", "--guard", guard, "--agent"],
        `FAKE_KEY=fake ${shellWords(words)}`,
      ],
    },
  };
  const { client, sessionId, workspace, model } = await openSession(scope, agent, {
    script: (folder) => [
      ...files.map((name) => writes(recipe, join(folder, name))),
      runs(recipe, "npm test"),
      runs(recipe, "npm install --no-audit --no-fund quokka", !isInside),
      runs(recipe, `curl -sS -o page.html ${place.page}`, !isInside),
      say("All done."),
    ],
    mode: own,
    files: {
      workspace: {
        "package.json": JSON.stringify({ name: "task", version: "1.0.0", scripts: { test: "echo passed > tested" } }),
        ".npmrc": `registry=${place.registry}\n`,
      },
      home: (modelUrl) => ({
        ".npmrc": `registry=${place.registry}\n@public:registry=https://registry.npmjs.org/\n`,
        ".symposium/guard.jsonc": JSON.stringify({
          rules: [{ effect: "allow", host: [new URL(modelUrl).host, ...place.addresses] }],
        }),
      }),
    },
  });
  await client.prompt(sessionId, "Do the task.");
  const done = [...files, "tested", "node_modules/quokka/package.json", "page.html"].filter((name) =>
    existsSync(join(workspace, name)),
  );
  const told = model.requests.at(-1)?.toolResults.map(({ text }) => text);
  assert.deepEqual(
    [done.length, await readFile(join(workspace, "page.html"), "utf8").catch(() => "")],
    [6, "the page"],
    `${guard}: ${JSON.stringify(told, undefined, 1)} ${JSON.stringify(client.permissionRequests)}`,
  );
  return client.permissionRequests.map(({ toolCall }) => toolCall.title ?? "");
}

function writes(recipe: AgentRecipe, path: string): ScriptStep {
  // Its patches are for OpenAI's models.
  return recipe.name === "codex" ? runs(recipe, `echo written > ${path}`) : recipe.createsFile(path);
}

/** A command; `needsLeave` says that it is none for the agent's own sandbox, where it has one. */
function runs(recipe: AgentRecipe, command: string, needsLeave = false): ScriptStep {
  if (recipe.name !== "codex") return callTool(toolNames.command, { command });
  const leave = { sandbox_permissions: "require_escalated", justification: "May it use the network?" };
  return callToolWith(toolNames.command, { cmd: command, yield_time_ms: 60_000, ...(needsLeave && leave) });
}

/** A registry with one package and a server with one page, under a name that leads to this machine. */
async function standIns(
  scope: AsyncDisposableStack,
): Promise<{ readonly registry: string; readonly page: string; readonly addresses: readonly string[] }> {
  const name = hostname().toLowerCase();
  const { address, family } = await lookup(name);
  const packed = await tarball(scope);
  const serve = async (answer: (path: string, origin: string) => string | Buffer): Promise<string> => {
    const server = createServer((request, response) => {
      response.end(answer(request.url ?? "/", `http://${request.headers.host ?? ""}`));
    });
    // Node's 5 s end a connection in the moment in which npm uses it again.
    server.keepAliveTimeout = keepAliveMs;
    await new Promise<void>((resolve) => server.listen(0, address, resolve));
    scope.defer(() => {
      server.closeAllConnections();
      server.close();
    });
    return String((server.address() as AddressInfo).port);
  };
  const integrity = `sha512-${createHash("sha512").update(packed).digest("base64")}`;
  const registry = await serve((path, origin) => {
    if (path.endsWith(".tgz")) return packed;
    const dist = { tarball: `${origin}/quokka/-/quokka-1.0.0.tgz`, integrity };
    const releases = { "1.0.0": { name: "quokka", version: "1.0.0", dist } };
    return JSON.stringify({ name: "quokka", "dist-tags": { latest: "1.0.0" }, versions: releases });
  });
  const page = await serve(() => "the page");
  const literal = family === 6 ? `[${address}]` : address;
  return {
    registry: `http://${name}:${registry}/`,
    page: `http://${name}:${page}/`,
    addresses: [registry, page].map((port) => `${literal}:${port}`),
  };
}

async function tarball(scope: AsyncDisposableStack): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), "quokka-"));
  scope.defer(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, "package"));
  const manifest = JSON.stringify({ name: "quokka", version: "1.0.0" });
  await writeFile(join(folder, "package", "package.json"), manifest);
  return spawnSync("tar", ["-czf", "-", "package"], { cwd: folder }).stdout;
}
