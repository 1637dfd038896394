/** How many packages OSV takes at once. */
const limit = 1000;

/** Thrown when OSV cannot be reached. */
export class Offline extends Error {}

/** The known vulnerabilities of these purls, as `purl: id, id` lines. Rejects with {@link Offline} without a network. */
export async function vulnerabilities(purls, { address = "https://api.osv.dev", accepted = {} } = {}) {
  const lines = [];
  for (let from = 0; from < purls.length; from += limit) {
    const part = purls.slice(from, from + limit);
    const body = JSON.stringify({ queries: part.map((purl) => ({ package: { purl } })) });
    const response = await fetch(`${address}/v1/querybatch`, { method: "POST", body }).catch((error) => {
      throw new Offline(`OSV cannot be reached: ${error.cause?.message ?? error.message}`);
    });
    if (!response.ok) throw new Error(`OSV answers ${response.status}: ${await response.text()}`);
    const { results } = await response.json();
    for (const [index, { vulns = [] }] of results.entries()) {
      const ids = vulns.map(({ id }) => id).filter((id) => !Object.hasOwn(accepted, id));
      if (ids.length > 0) lines.push(`${part[index]}: ${ids.join(", ")}`);
    }
  }
  return lines;
}
