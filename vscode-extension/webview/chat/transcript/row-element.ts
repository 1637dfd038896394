import * as l10n from "@vscode/l10n";
import { html, type TemplateResult } from "lit";
import type { Transcript } from "../../../protocol/index.js";
import type { CardDrafts } from "../state/view-memory.js";
import "../cards/authentication-card.js";
import "../cards/elicitation-card.js";
import "../cards/permission-card.js";
import type { ItemContext } from "../items/item-element.js";
import type { Tab } from "../state/chat-store.js";
import "../items/agent-items.js";
import "../items/notice.js";
import "../items/turn-end.js";
import "../items/user.js";
import "../tool/tool.js";
import type { ToolSource } from "../tool/tool.js";
import { answerBefore, agentAt, isFirstAnswer, type Row, type Rows, turnSummary } from "./rows.js";

export interface RowParts {
  readonly context: ItemContext;
  readonly drafts: CardDrafts;
  readonly source: ToolSource;
  readonly redraw: () => void;
}

function openRequests({ items }: Transcript): readonly string[] {
  return items.flatMap((item) => (item.kind === "permission" && item.answer === undefined ? [item.id] : []));
}

export function rowElement(
  row: Row,
  at: number,
  { rows, children }: Rows,
  tab: Tab,
  { context, drafts, source, redraw }: RowParts,
): TemplateResult {
  const { tabId, transcript } = tab;
  switch (row.kind) {
    case "user":
      return html`<symposium-user .item=${row} .tabId=${tabId} .context=${context} .drafts=${drafts}></symposium-user>`;
    case "text":
      return html`<symposium-answer
        .item=${row}
        .tabId=${tabId}
        .context=${context}
        .isGrowing=${at === rows.length - 1 && transcript.state.phase === "running"}
        .heading=${isFirstAnswer(rows, at) ? l10n.t("{0} answered", agentAt(rows, at, transcript.state.agentName)) : undefined}
      ></symposium-answer>`;
    case "thought":
      return html`<symposium-thought .item=${row} .tabId=${tabId} .context=${context}></symposium-thought>`;
    case "content":
      return html`<symposium-content .item=${row} .tabId=${tabId} .context=${context}></symposium-content>`;
    case "tool":
      return html`<symposium-tool
        .item=${row}
        .tabId=${tabId}
        .context=${context}
        .source=${source}
        .version=${row.content.some(({ type }) => type === "terminal") || children.has(row.id) ? tab.version : 0}
      ></symposium-tool>`;
    case "plan":
      return html`<symposium-plan .item=${row} .tabId=${tabId} .context=${context}></symposium-plan>`;
    case "notice":
      return html`<symposium-notice .item=${row} .tabId=${tabId} .context=${context}></symposium-notice>`;
    case "permission":
    case "elicitation":
    case "authentication":
      return cardElement(row, tab, drafts);
    case "turn-end":
      return html`<symposium-turn-end
        .item=${row}
        .tabId=${tabId}
        .context=${context}
        .answer=${() => answerBefore(rows, at)}
      ></symposium-turn-end>`;
    case "unknown":
      return html`<symposium-unknown .item=${row} .tabId=${tabId} .context=${context}></symposium-unknown>`;
    case "summary":
      return turnSummary(row, () => {
        context.folds.set(`${tabId}/${row.id}`, !row.isUnfolded);
        redraw();
      });
  }
}

function cardElement(
  row: Extract<Row, { kind: "permission" | "elicitation" | "authentication" }>,
  { tabId, transcript }: Tab,
  drafts: CardDrafts,
): TemplateResult {
  switch (row.kind) {
    case "permission":
      return html`<symposium-permission-card
        .item=${row}
        .tabId=${tabId}
        .requests=${row.answer ? [] : openRequests(transcript)}
        .drafts=${drafts}
      ></symposium-permission-card>`;
    case "elicitation":
      return html`<symposium-elicitation-card
        .item=${row}
        .waiting=${row.answer ? 0 : transcript.state.waiting}
        .tabId=${tabId}
        .drafts=${drafts}
      ></symposium-elicitation-card>`;
    case "authentication":
      return html`<symposium-authentication-card .item=${row} .tabId=${tabId}></symposium-authentication-card>`;
  }
}
