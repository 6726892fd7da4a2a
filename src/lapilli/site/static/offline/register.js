// @ts-check
// Starts the service worker, and tells it what this page has loaded, so that the page opens again without a network.

/** The version of the site's files, which is in their addresses; "" where they have none. */
const version = /\/static\/([0-9a-f]+)\//.exec(import.meta.url)?.[1] ?? "";

async function register() {
  await navigator.serviceWorker.register(`/worker.js?v=${version}`);
  const { active } = await navigator.serviceWorker.ready;
  const styles = [...document.querySelectorAll("link")].map(({ href }) => href).filter(Boolean);
  const loaded = performance.getEntriesByType("resource").map(({ name }) => name);
  active?.postMessage({ path: location.pathname, files: [...new Set([...styles, ...loaded])] });
}

/** Not before the page has all that it needs. */
const wait = () => setTimeout(() => void register().catch(() => undefined), 1000);

if ("serviceWorker" in navigator && version) {
  if (document.readyState === "complete") wait();
  else addEventListener("load", wait);
}
