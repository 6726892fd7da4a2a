// @ts-check
// Starts the service worker, and sends it the list of files that this page has loaded, so that it can show the page
// offline.

/** Version of the site's files, taken from this file's address; "" if the address contains none. */
const version = /\/static\/([0-9a-f]+)\//.exec(import.meta.url)?.[1] ?? "";

async function register() {
  await navigator.serviceWorker.register(`/worker.js?v=${version}`);
  const { active } = await navigator.serviceWorker.ready;
  const styles = [...document.querySelectorAll("link")].map(({ href }) => href).filter(Boolean);
  const loaded = performance.getEntriesByType("resource").map(({ name }) => name);
  active?.postMessage({ path: location.pathname, files: [...new Set([...styles, ...loaded])] });
}

/** Registers the worker after a pause of one second, so that the page first loads all that it needs. */
const wait = () => setTimeout(() => void register().catch(() => undefined), 1000);

if ("serviceWorker" in navigator && version) {
  if (document.readyState === "complete") wait();
  else addEventListener("load", wait);
}
