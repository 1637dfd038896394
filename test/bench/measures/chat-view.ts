import { gzipSync } from "node:zlib";
import type { BenchRun } from "../bench-run.js";
import { ourLane, peerHint, peerLane } from "../chat-view-lanes.js";
import { PageBrowser, type PageTimes } from "../page-lane.js";
import type { Row } from "../row.js";
import { Samples } from "../samples.js";

const feeds = [
  { name: "5,000 chunks of 40 B", call: "stream(5000, 40, 25)", latestMs: 300, isPeerFed: true },
  { name: "an answer of 200 KB", call: "whole(200000)", latestMs: 300, isPeerFed: true },
  { name: "35,000 lines of output", call: "output(35000)", latestMs: 2_000, isPeerFed: false },
] as const;
const items = 5_000;
const limitMs = 120_000;
const longestTaskMs = 50;
const firstPaintMs = 500;
const heapMiB = 95;

/** The chat view in Chromium: how it keeps up with what agents send, and what long sessions cost. */
export async function measureChatView({ scale }: BenchRun, note: (text: string) => void): Promise<Row[]> {
  const ours = await ourLane();
  const peer = await peerLane();
  const lanes = new Map([["ours", ours], ...(peer ? [["peer", peer] as const] : [])]);
  const samples = new Samples();
  await using browser = await PageBrowser.start(lanes);
  for (let launch = 0; launch < scale.launches; launch++) {
    for (const { name, call } of feeds) addTimes(samples, `${name} ours`, await browser.feed("ours", call, limitMs));
    const { shownMs, heapMiB: heap } = await browser.restore("ours", items, limitMs);
    samples.add("restore ours", shownMs);
    samples.add("heap ours", heap);
  }
  if (peer === undefined) note(`No peer: ${peerHint}`);
  else {
    await measurePeer(browser, samples);
    note(peerNote(peer.version, samples));
  }
  const script = gzipSync(ours.files.get("chat.js") ?? new Uint8Array()).length / 1_000;
  return [
    ...feeds.flatMap(({ name, latestMs }) => rowsOf(name, latestMs, samples)),
    row(`chat view, ${items.toLocaleString("en")} items restored, first paint`, "restore", firstPaintMs),
    { ...row("chat view, their heap", "heap", heapMiB), unit: "MiB" },
    { measure: "chat view, script, gzip", unit: "KB", ours: script, target: { atMost: 250 } },
  ];

  function row(measure: string, name: string, atMost: number): Row {
    return { measure, unit: "ms", ours: samples.median(`${name} ours`), target: { atMost } };
  }
}

function addTimes(samples: Samples, name: string, { lastSentMs, shownMs, longestTaskMs: task }: PageTimes): void {
  samples.add(`${name} late`, shownMs - lastSentMs);
  samples.add(`${name} shown`, shownMs);
  samples.add(`${name} task`, task);
}

function rowsOf(name: string, latestMs: number, samples: Samples): Row[] {
  const isOutput = name.includes("output");
  const value = (what: string): number | undefined => samples.median(`${name} ours ${what}`);
  return [
    {
      measure: `chat view, ${name}, ${isOutput ? "settled" : "shown after the last"}`,
      unit: "ms",
      ours: value(isOutput ? "shown" : "late"),
      target: { atMost: latestMs },
    },
    {
      measure: `chat view, ${name}, longest task`,
      unit: "ms",
      ours: value("task"),
      target: { atMost: longestTaskMs },
    },
  ];
}

/** Once: it takes minutes. */
async function measurePeer(browser: PageBrowser, samples: Samples): Promise<void> {
  for (const { name, call, isPeerFed } of feeds) {
    if (!isPeerFed) continue;
    const times = await browser.feed("peer", call, limitMs).catch(() => undefined);
    if (times) addTimes(samples, `${name} peer`, times);
  }
  const restored = await browser.restore("peer", items, limitMs).catch(() => undefined);
  if (restored === undefined) return;
  samples.add("restore peer", restored.shownMs);
  samples.add("heap peer", restored.heapMiB);
}

function peerNote(version: string, samples: Samples): string {
  const against = (label: string, name: string, what: string, unit: string): string => {
    const ours = samples.median(`${name} ours${what}`);
    const peer = samples.median(`${name} peer${what}`);
    if (peer === undefined || ours === undefined) return `${label} not done after ${limitMs / 1_000} s`;
    return `${label} ${Math.round(peer)} ${unit} (ours: ${(peer / Math.max(ours, 1)).toFixed(1)}x less)`;
  };
  const parts = [
    ...feeds
      .filter(({ isPeerFed }) => isPeerFed)
      .flatMap(({ name }) => [
        against(`${name}, shown after the last`, name, " late", "ms"),
        against("longest task", name, " task", "ms"),
      ]),
    against(`${items.toLocaleString("en")} items restored`, "restore", "", "ms"),
    against("heap", "heap", "", "MiB"),
  ];
  return `@aws/mynah-ui ${version}, same feeds: ${parts.join("; ")}`;
}
