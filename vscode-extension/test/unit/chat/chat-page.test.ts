import assert from "node:assert/strict";
import { chatPage } from "../../../src/features/pages/page-html.js";

const options = {
  cspSource: "https://editor.example",
  scriptUri: 'https://editor.example/chat.js?"><script>',
  styleUri: "https://editor.example/chat.css",
  sessionId: "session",
  language: "de",
};

describe("the page of the chat", () => {
  it("allows no script but its own, nothing inline, and no other server", () => {
    const page = chatPage(options);
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? "";
    const nonce = /script-src 'nonce-([\w-]+)'/.exec(policy)?.[1] ?? "";
    assert.ok(policy.startsWith("default-src 'none'; "));
    assert.doesNotMatch(policy, /unsafe|\*|https:(?!\/\/editor\.example)/);
    assert.deepEqual(page.match(/<script[^>]*nonce="([^"]*)"/)?.[1], nonce);
  });

  it("has a nonce of its own each time", () => {
    assert.notEqual(chatPage(options), chatPage(options));
  });

  it("has the translations of its texts for its scripts, if there are any", () => {
    assert.doesNotMatch(chatPage(options), /SYMPOSIUM_TEXTS/);
    const page = chatPage({ ...options, texts: { Keep: 'Behalten & "mehr"' } });
    assert.match(
      page,
      /<meta name="SYMPOSIUM_TEXTS" content="{&quot;Keep&quot;:&quot;Behalten &amp; \\&quot;mehr\\&quot;&quot;}">/,
    );
  });

  it("writes what it is given as text", () => {
    assert.doesNotMatch(chatPage(options), /"><script>/);
  });
});
