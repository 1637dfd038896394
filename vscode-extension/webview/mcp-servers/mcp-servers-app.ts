import * as l10n from "@vscode/l10n";
import { html, nothing } from "lit";
import { live } from "lit/directives/live.js";
import { repeat } from "lit/directives/repeat.js";
import type { FromMcpServers, McpServersState, ShownServer } from "../../protocol/mcp-servers.js";
import { ask, icon, LightElement, textButton } from "../controls/element.js";
import { keyedRows } from "../controls/keyed-rows.js";
import { KeptFocus } from "../controls/kept-focus.js";

const icons: Readonly<Record<ShownServer["state"], string>> = {
  running: "pass",
  starting: "loading",
  "sign-in": "key",
  failed: "error",
  off: "circle-slash",
  "not-approved": "shield",
  incomplete: "warning",
  idle: "circle-outline",
};

export class McpServersApp extends LightElement {
  static override properties = { state: { attribute: false }, opened: { state: true } };
  declare state: McpServersState | undefined;
  declare opened: ReadonlySet<string>;

  constructor() {
    super();
    new KeptFocus(this, ".mcp-server");
    this.opened = new Set();
  }

  override render(): unknown {
    const { state } = this;
    if (state === undefined) return html`<main class="mcp-servers" aria-busy="true"></main>`;
    const { servers, isLoading, problem, folder } = state;
    return html`<main class="mcp-servers" aria-busy=${isLoading}>
      <header>
        <h1>${l10n.t("MCP servers")}</h1>
        <p class="control-note">
          ${l10n.t("Every agent in {0} gets the servers that are on. Changes apply from the next session.", folder)}
        </p>
        <p class="mcp-summary" role="status">${problem === undefined ? summary(state) : nothing}</p>
        ${problem === undefined ? nothing : html`<p class="mcp-problem" role="alert">${icon("error")} ${problem}</p>`}
        <div class="button-row">
          ${textButton(l10n.t("Add Server"), () => this.#send({ type: "add" }), { icon: "add" })}
          ${textButton(l10n.t("Open config.jsonc"), () => this.#send({ type: "open-config" }), {
            look: "secondary",
            icon: "go-to-file",
          })}
          ${textButton(l10n.t("Refresh"), () => !isLoading && this.#send({ type: "refresh" }), {
            look: "secondary",
            icon: "refresh",
            isBlocked: isLoading,
          })}
        </div>
      </header>
      ${
        servers.length === 0
          ? nothing
          : html`<ul aria-label=${l10n.t("MCP servers")}>
              ${repeat(
                servers,
                ({ id }) => id,
                (server) => this.#server(server),
              )}
            </ul>`
      }
    </main>`;
  }

  #server(server: ShownServer): unknown {
    const { id, name, from, transport, start, state, text, detail, lastError, actions } = server;
    return html`<li class="mcp-server ${state}">
      <span class="mcp-icon">${icon(icons[state], state === "starting")}</span>
      <div class="mcp-body">
        <h2>${name}</h2>
        <div class="mcp-state"><strong>${text}</strong>${detail === undefined ? nothing : html` ${detail}`}</div>
        ${lastError === undefined || lastError === "" ? nothing : html`<div class="control-note">${l10n.t("Last error: {0}", lastError)}</div>`}
        <div class="control-note mcp-facts">
          ${from} · ${transport}${start === "" ? nothing : html` · <code>${start}</code>`}
        </div>
        <div class="button-row">
          ${keyedRows(
            actions,
            ({ id: action }) => action,
            ({ id: action, label }) =>
              textButton(label, () => this.#send({ type: "act", server: id, action }), {
                look: action === "sign-in" && state === "sign-in" ? "" : "secondary",
                label: `${label}: ${name}`,
              }),
          )}
          ${this.#toolsButton(server)}
        </div>
        ${this.opened.has(id) ? this.#tools(server) : nothing}
      </div>
    </li>`;
  }

  #toolsButton({ id, name, tools }: ShownServer): unknown {
    if (tools === undefined) return nothing;
    const given = tools.filter(({ isLeftOut }) => !isLeftOut);
    const bytes = given.reduce((sum, tool) => sum + tool.bytes, 0);
    const isOpen = this.opened.has(id);
    const count =
      given.length === tools.length ? String(tools.length) : l10n.t("{0} of {1}", given.length, tools.length);
    const counted = tools.length === 1 ? l10n.t("{0} tool", count) : l10n.t("{0} tools", count);
    const label = `${counted}, ${sizeOf(bytes)}`;
    return textButton(label, () => this.#toggle(id), {
      look: "secondary",
      icon: isOpen ? "chevron-down" : "chevron-right",
      label: `${label}: ${name}`,
      isExpanded: isOpen,
    });
  }

  #tools({ id, name, tools = [], from }: ShownServer): unknown {
    return html`<ul class="mcp-tools" aria-label=${l10n.t("Tools of {0}, {1}", name, from)}>
      ${repeat(
        tools,
        (tool) => tool.name,
        (tool) =>
          html`<li>
            <label>
              <input
                type="checkbox"
                class="control-check"
                .checked=${live(!tool.isLeftOut)}
                @change=${({ target }: Event) => {
                  const isOn = target instanceof HTMLInputElement && target.checked;
                  this.#send({ type: "switch-tool", server: id, tool: tool.name, isOn });
                }}
              />
              <span class="mcp-tool-name">${tool.name}</span>
              <span class="control-note">${sizeOf(tool.bytes)}</span>
            </label>
          </li>`,
      )}
    </ul>`;
  }

  #toggle(id: string): void {
    const opened = new Set(this.opened);
    if (!opened.delete(id)) opened.add(id);
    this.opened = opened;
  }

  #send(detail: FromMcpServers): void {
    ask(this, detail);
  }
}

function sizeOf(bytes: number): string {
  return bytes < 1_000 ? l10n.t("{0} bytes", bytes) : l10n.t("{0} kB", (bytes / 1_000).toFixed(1));
}

function summary({ servers, isLoading }: McpServersState): string {
  if (servers.length === 0) return isLoading ? l10n.t("Looking for servers…") : l10n.t("There are no MCP servers yet.");
  const count = (state: ShownServer["state"], words: string): readonly string[] => {
    const { length } = servers.filter((one) => one.state === state);
    return length === 0 ? [] : [`${length} ${words}`];
  };
  const parts = [
    servers.length === 1 ? l10n.t("1 server") : l10n.t("{0} servers", servers.length),
    ...count("running", l10n.t("running")),
    ...count("sign-in", l10n.t("waiting for a sign-in")),
    ...count("failed", l10n.t("failed")),
    ...count("not-approved", l10n.t("not allowed")),
    ...count("off", l10n.t("off")),
  ];
  return `${parts.join(", ")}.`;
}

customElements.define("symposium-mcp-servers", McpServersApp);
