import { html, nothing, type TemplateResult } from "lit";
import type { TabState } from "../../../protocol/index.js";
import { icon } from "../../controls/icon.js";

/** What a tab shows before the first prompt: who is asked, where it works, and what can be written. */
export function emptyConversation({ agentName, folder, commands }: TabState): TemplateResult {
  return html`<div class="empty">
    ${icon("comment-discussion")}
    <h2 class="empty-title">Ask ${agentName}</h2>
    <p class="quiet" dir="auto">
      ${folder === undefined ? "It works without a folder." : html`It works in <strong>${folder}</strong>.`}
    </p>
    <ul class="empty-hints">
      <li><kbd class="control-key">@</kbd><span>adds files, symbols, problems or a diff</span></li>
      ${commands.length === 0 ? nothing : html`<li><kbd class="control-key">/</kbd><span>lists the agent's commands</span></li>`}
      <li>${icon("file-media")}<span>paste images, drop files</span></li>
    </ul>
  </div>`;
}
