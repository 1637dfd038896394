import assert from "node:assert/strict";
import type { McpServersState, ShownServer } from "../../../protocol/mcp-servers.js";
import { ElementPage } from "../composer/element-page.js";

const server = (name: string, patch: Partial<ShownServer> = {}): ShownServer => ({
  id: `id-${name}`,
  name,
  from: "~/.symposium/config.jsonc",
  transport: "stdio",
  start: `${name}-mcp --port 1`,
  state: "idle",
  text: "Not running",
  isBusy: false,
  actions: [{ id: "off", label: "Disable" }],
  ...patch,
});
const tools = [
  { name: "read", bytes: 1_200, isLeftOut: false },
  { name: "write", bytes: 300, isLeftOut: true },
];
const servers: readonly ShownServer[] = [
  server("files", { state: "running", text: "Running in 1 session", lastError: "It died.", tools }),
  server("vault", {
    ...{ transport: "http", start: "https://mcp.example/v1", state: "sign-in", text: "Waiting for you to sign in" },
    actions: [
      { id: "sign-in", label: "Sign In" },
      { id: "off", label: "Disable" },
    ],
  }),
  server("broken", { state: "failed", text: "Failed", detail: "It exited with code 3." }),
  server("theirs", { state: "not-approved", text: "Not allowed", actions: [{ id: "allow", label: "Allow…" }] }),
  server("lean", { state: "off", text: "Off" }),
  server("busy", { state: "starting", text: "Starting", tools: [{ name: "now", bytes: 45, isLeftOut: false }] }),
  server("half", { state: "incomplete", text: "Incomplete", detail: "${input:team} has no value." }),
];
const state: McpServersState = { folder: "/p", isLoading: false, servers: [...servers] };

describe("the page of MCP servers in its web view", () => {
  let page: ElementPage;
  before(async function () {
    const parts = ["controls/controls.css", "mcp-servers/mcp-servers.css", "mcp-servers/mcp-servers-app.ts"];
    page = await ElementPage.open(this, parts, true);
  });
  beforeEach(() => page.mount("symposium-mcp-servers", { state }));

  const button = (name: string) => page.page.getByRole("button", { name, exact: true });
  const row = (name: string) =>
    page.page.locator(".mcp-server", { has: page.page.getByRole("heading", { name, exact: true }) });
  const summary = () => page.page.getByRole("status").innerText();

  it("shows each server's state, its last error, its origin and how it starts", async () => {
    const words = async (name: string) => (await row(name).innerText()).replaceAll(/\s+/g, " ").trim();
    assert.deepEqual(
      [await words("files"), await words("vault"), await words("broken")],
      [
        "files Running in 1 session Last error: It died. ~/.symposium/config.jsonc · stdio · files-mcp --port 1 Disable 1 of 2 tools, 1.2 kB",
        "vault Waiting for you to sign in ~/.symposium/config.jsonc · http · https://mcp.example/v1 Sign In Disable",
        "broken Failed It exited with code 3. ~/.symposium/config.jsonc · stdio · broken-mcp --port 1 Disable",
      ],
    );
  });

  it("counts the servers by their states, and says that it looks for some or that there are none", async () => {
    const said = [await summary()];
    for (const patch of [{ servers: [] }, { servers: [], isLoading: true }, { servers: servers.slice(0, 1) }]) {
      await page.set({ state: { ...state, ...patch } });
      said.push(await summary());
    }
    assert.deepEqual(said, [
      "7 servers, 1 running, 1 waiting for a sign-in, 1 failed, 1 not allowed, 1 off.",
      "There are no MCP servers yet.",
      "Looking for servers…",
      "1 server, 1 running.",
    ]);
  });

  it("shows a problem in place of the count", async () => {
    await page.set({ state: { ...state, problem: "config.jsonc:3 is no JSON." } });
    assert.deepEqual(
      [(await page.page.getByRole("alert").innerText()).trim(), await summary()],
      ["config.jsonc:3 is no JSON.", ""],
    );
  });

  it("asks for what its buttons say, by the keyboard, too", async () => {
    await button("Sign In: vault").press("Enter");
    await button("Allow…: theirs").click();
    await button("Disable: files").press("Space");
    await button("Add Server").click();
    await button("Open config.jsonc").click();
    await button("Refresh").click();
    assert.deepEqual(await page.asked(), [
      { type: "act", server: "id-vault", action: "sign-in" },
      { type: "act", server: "id-theirs", action: "allow" },
      { type: "act", server: "id-files", action: "off" },
      { type: "add" },
      { type: "open-config" },
      { type: "refresh" },
    ]);
  });

  it("does not refresh while it loads", async () => {
    await page.set({ state: { ...state, isLoading: true } });
    await button("Refresh").click({ force: true });
    assert.deepEqual(await page.asked(), []);
  });

  it("shows a server's tools on demand, and switches each to what the extension then says", async () => {
    assert.equal(await page.page.getByRole("checkbox").count(), 0);
    await button("1 of 2 tools, 1.2 kB: files").press("Enter");
    const read = page.page.getByRole("checkbox", { name: /^read / });
    await read.click();
    await page.page.getByRole("checkbox", { name: /^write / }).click();
    assert.deepEqual(await page.asked(), [
      { type: "switch-tool", server: "id-files", tool: "read", isOn: false },
      { type: "switch-tool", server: "id-files", tool: "write", isOn: true },
    ]);
    await page.set({ state: { ...state, servers: servers.map((one) => ({ ...one })) } });
    assert.deepEqual(
      [
        await read.isChecked(),
        await page.page.getByRole("list", { name: "Tools of files, ~/.symposium/config.jsonc" }).count(),
      ],
      [true, 1],
    );
    await button("1 of 2 tools, 1.2 kB: files").click();
    assert.equal(await page.page.getByRole("checkbox").count(), 0);
  });

  it("presses no button of another server while servers come and go, and keeps the focus in the list", async () => {
    await button("Disable: files").hover();
    await page.page.mouse.down();
    await page.set({ state: { ...state, servers: servers.slice(1) } });
    await page.page.mouse.up();
    await button("Disable: vault").focus();
    await page.set({ state: { ...state, servers: servers.slice(2) } });
    await page.page.keyboard.press("Enter");
    const focused = await page.page.evaluate(() => document.activeElement?.querySelector("h2")?.textContent);
    assert.deepEqual([await page.asked(), focused], [[], "broken"]);
  });

  for (const width of [300, 900]) {
    it(`has no accessibility violations in any theme, and nothing is wider than ${width} pixels`, async () => {
      await page.page.setViewportSize({ width, height: 900 });
      const long = server("long", { start: `node /home/${"a_very_long_name".repeat(20)}` });
      await page.set({ state: { ...state, problem: "It is not there.", servers: [...servers, long] } });
      await button("1 of 2 tools, 1.2 kB: files").click();
      for (const theme of ["light", "high-contrast", "high-contrast-light", "dark"] as const) {
        await page.useTheme(theme);
        assert.deepEqual(await page.violations(), [], theme);
      }
      assert.equal(await page.page.evaluate(() => document.documentElement.scrollWidth), width);
    });
  }
});
