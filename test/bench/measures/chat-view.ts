import { gzipSync } from "node:zlib";
import type { BenchRun } from "../bench-run.js";
import { ourLane, peerHint, peerLane } from "../chat-view-lanes.js";
import { PageBrowser, type PageTimes } from "../page-lane.js";
import type { Row } from "../row.js";
import { Samples } from "../samples.js";

const feeds = [
  { name: "5,000 chunks of 40 B", feed: "chunks", latestMs: 300 },
  { name: "an answer of 200 KB", feed: "answer", latestMs: 300 },
  { name: "35,000 lines of output", feed: "output", latestMs: 2_000 },
] as const;
/** Shorter feed, which the peer gets as well: it can't process more within minutes. */
const peerFeed = { name: "500 chunks of 40 B", feed: "someChunks" };
const items = 5_000;
const peerItems = 200;
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
    for (const { name, feed } of feeds) addTimes(samples, `${name} ours`, await browser.feed("ours", feed, limitMs));
    const { shownMs, heapMiB: heap } = await browser.restore("ours", items, limitMs);
    samples.add("restore ours", shownMs);
    samples.add("heap ours", heap);
  }
  if (peer === undefined) note(`No peer: ${peerHint}`);
  else {
    await measureBoth(browser, samples);
    note(peerNote(peer.version, samples));
  }
  const script = gzipSync(ours.files.get("chat.js") ?? new Uint8Array()).length / 1_000;
  return [
    ...feeds.flatMap(({ name, latestMs }) => rowsOf(name, latestMs, samples)),
    {
      measure: "chat view, an answer of 200 KB, also out of view",
      unit: "ms",
      ours: samples.median("an answer of 200 KB ours settled"),
    },
    row(`chat view, ${items.toLocaleString("en")} items restored, first paint`, "restore", firstPaintMs),
    { ...row("chat view, their heap", "heap", heapMiB), unit: "MiB" },
    { measure: "chat view, script, gzip", unit: "KB", ours: script, target: { atMost: 250 } },
  ];

  function row(measure: string, name: string, atMost: number): Row {
    return { measure, unit: "ms", ours: samples.median(`${name} ours`), target: { atMost } };
  }
}

function addTimes(samples: Samples, name: string, times: PageTimes): void {
  const { lastSentMs, shownMs, settledMs, longestTaskMs: task } = times;
  samples.add(`${name} late`, shownMs - lastSentMs);
  samples.add(`${name} settled`, settledMs);
  samples.add(`${name} task`, task);
}

function rowsOf(name: string, latestMs: number, samples: Samples): Row[] {
  const isOutput = name.includes("output");
  const value = (what: string): number | undefined => samples.median(`${name} ours ${what}`);
  return [
    {
      measure: `chat view, ${name}, ${isOutput ? "settled" : "shown after the last"}`,
      unit: "ms",
      ours: value(isOutput ? "settled" : "late"),
      target: { atMost: latestMs },
    },
    {
      measure: `chat view, ${name}, longest task (CPU)`,
      unit: "ms",
      ours: value("task"),
      target: { atMost: longestTaskMs },
    },
  ];
}

async function measureBoth(browser: PageBrowser, samples: Samples): Promise<void> {
  for (const lane of ["ours", "peer"]) {
    const times = await browser.feed(lane, peerFeed.feed, limitMs).catch(() => undefined);
    if (times) addTimes(samples, `${peerFeed.name} ${lane}`, times);
    const restored = await browser.restore(lane, peerItems, limitMs).catch(() => undefined);
    if (restored) samples.add(`small restore ${lane}`, restored.shownMs);
  }
}

function peerNote(version: string, samples: Samples): string {
  const against = (label: string, name: string, what = ""): string => {
    const ours = samples.median(`${name} ours${what}`);
    const peer = samples.median(`${name} peer${what}`);
    if (peer === undefined || ours === undefined) return `${label} not done after ${limitMs / 1_000} s`;
    return `${label} ${Math.round(peer)} ms, ours ${Math.round(ours)} ms: ${(peer / ours).toFixed(1)}x`;
  };
  const parts = [
    against(`${peerFeed.name}, shown after the last`, peerFeed.name, " late"),
    against("longest task (CPU)", peerFeed.name, " task"),
    against(`${peerItems} items restored`, "small restore"),
  ];
  return `@aws/mynah-ui ${version}: ${parts.join("; ")}`;
}
