const listTypes = ["application/vnd.code.uri-list", "text/uri-list"];

/** URIs of what was dragged from the explorer, an editor tab or a file browser; empty when there are none. */
export function droppedUris(data: Pick<DataTransfer, "getData">): string[] {
  for (const type of listTypes) {
    const uris = data
      .getData(type)
      .split(/\r?\n/u)
      .map((line) => line.trim())
      .filter((line) => /^[a-z][a-z0-9+.-]*:/iu.test(line));
    if (uris.length > 0) return [...new Set(uris)];
  }
  return [];
}
