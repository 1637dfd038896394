import * as l10n from "@vscode/l10n";
import { html, nothing, type TemplateResult } from "lit";
import type { ContentBlock } from "../../../protocol/index.js";
import { icon } from "../../controls/element.js";
import "../markdown/markdown-element.js";
import { send } from "../send-message.js";
import type { ItemContext } from "./item-element.js";

const imageType = /^image\/(?:png|jpe?g|gif|webp|bmp|avif)$/u;
const audioType = /^audio\/[\w.+-]+$/u;
const base64 = /^[\w+/=\s-]*$/u;
const longestText = 20_000;

/**
 * Shows an ACP content block. Supports text as Markdown, embedded images and audio, links to resources and embedded resources. Shows
 * other blocks as JSON. Loads nothing.
 */
export function contentBlock(block: ContentBlock, context: ItemContext, host: EventTarget): TemplateResult {
  const text = (name: string): string => (typeof block[name] === "string" ? block[name] : "");
  switch (block.type) {
    case "text":
      return html`<symposium-markdown .slices=${context.slices} .text=${text("text")}></symposium-markdown>`;
    case "image":
      if (imageType.test(text("mimeType")) && base64.test(text("data")) && text("data") !== "") {
        return html`<img
          class="content-image"
          src=${source(text)}
          alt=${text("uri") || l10n.t("Image from the agent")}
        />`;
      }
      break;
    case "audio":
      if (audioType.test(text("mimeType")) && base64.test(text("data")) && text("data") !== "") {
        return html`<audio controls src=${source(text)} aria-label=${l10n.t("Audio from the agent")}></audio>`;
      }
      break;
    case "resource_link":
      return resourceLink(text("uri"), text("title") || text("name"), text("description"), host);
    case "resource": {
      const resource = isRecord(block["resource"]) ? block["resource"] : {};
      const uri = typeof resource["uri"] === "string" ? resource["uri"] : "";
      const content = typeof resource["text"] === "string" ? resource["text"] : undefined;
      if (content === undefined) return resourceLink(uri, "", "", host);
      const shown = content.length > longestText ? `${content.slice(0, longestText)}…` : content;
      return html`${resourceLink(uri, "", "", host)}
        <pre class="plain-text" tabindex="0" aria-label=${uri}>${shown}</pre>`;
    }
    default:
  }
  return html`<pre class="plain-text" tabindex="0" aria-label=${l10n.t("Content")}>${jsonOf(block)}</pre>`;
}

function source(text: (name: string) => string): string {
  return `data:${text("mimeType")};base64,${text("data")}`;
}

function resourceLink(uri: string, name: string, description: string, host: EventTarget): TemplateResult {
  const path = uri.startsWith("file:") ? pathOf(uri) : uri;
  const label = name === "" ? path : name;
  const open = (): void => openUri(uri, host);
  return html`<button type="button" class="file-chip" title=${path} @click=${open}>
    ${icon(/^https?:/u.test(uri) ? "link-external" : "file")}<span class="file-chip-label">${label}</span>${
      description === "" ? nothing : html`<span class="quiet">${description}</span>`
    }
  </button>`;
}

function openUri(uri: string, host: EventTarget): void {
  if (!uri.startsWith("file:")) {
    send(host, { type: "open-link", url: uri });
    return;
  }
  const line = /#L?(\d+)/u.exec(uri)?.[1];
  const path = pathOf(uri);
  send(
    host,
    line === undefined ? { type: "open-location", path } : { type: "open-location", path, line: Number(line) },
  );
}

function pathOf(uri: string): string {
  try {
    const { pathname, host } = new URL(uri);
    const path = decodeURIComponent(pathname);
    if (host !== "") return `//${host}${path}`;
    return /^\/[A-Za-z]:/u.test(path) ? path.slice(1) : path;
  } catch {
    return uri;
  }
}

function jsonOf(block: ContentBlock): string {
  const text = JSON.stringify(block, undefined, 2);
  return text.length > longestText ? `${text.slice(0, longestText)}…` : text;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
