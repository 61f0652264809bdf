// A key that is bound to this computer, from a browser: the page offers a link with the scheme "sealring", which the desktop gives to the command
// line. That shows who asks for what, signs, and opens this server's page with the signature behind the "#". That page hands it to the tab that
// asked, and to no other: the signature never goes to another origin, and an answer without its question is dropped (docs/sign-in-page.md).
import { clock, t } from "./signin-texts.js";
import { realm } from "./signin-server.js";
import { button, clear, Countdown, form, heading, make, note, output, waiting } from "./signin-view.js";

const channelName = "sealring-signed";

const isLinuxDesktop = () => /Linux/.test(navigator.platform) && !/Android/.test(navigator.userAgent);

export function askDesktop(callback, { set, page }) {
  const refuse = (code) => {
    set(code, "clientError");
    page.submit();
  };
  page.button = null;
  const channel = isLinuxDesktop() && window.BroadcastChannel ? new BroadcastChannel(channelName) : null;
  if (!channel) {
    waiting(t("signIn.anotherWay"));
    // There is no key here, so the journey continues with its other options, if any.
    const timer = setTimeout(() => refuse("Unsupported"), 0);
    page.end.push(() => clearTimeout(timer));
    return;
  }
  // Only this tab and the link know the id.
  const id = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  channel.onmessage = ({ data }) => {
    if (data?.id !== id || typeof data.jws !== "string") return;
    channel.postMessage({ taken: id });
    set(data.jws, "jws");
    page.submit();
  };
  page.end.push(() => channel.close());
  note(t("signIn.boundKey"));
  form.append(
    make("a", { className: "button", id: "desktop", href: address(callback, id), textContent: t("signIn.openSealring") }),
    make("p", { className: "muted", textContent: t("signIn.boundKeyCheck", { host: location.host }) }));
  button(t("signIn.otherWay"), () => refuse("Unsupported")).id = "otherWay";
  const countdown = new Countdown(Number(output(callback, "timeout")) || 30, clock, () => refuse("Timeout"));
  page.end.push(() => countdown.stop());
}

// The link with what the command line needs to answer this step, and where its answer goes.
function address(callback, id) {
  const values = new URLSearchParams({
    server: new URL("..", location.href).href.replace(/\/$/, ""), realm, id, challenge: output(callback, "challenge") ?? "",
    timeout: Number(output(callback, "timeout")) || 30,
  });
  const user = output(callback, "userId");
  if (user) values.set("user", user);
  const transaction = output(callback, "transaction");
  if (transaction) values.set("transaction", JSON.stringify(transaction));
  return "sealring://sign?" + values.toString().replace(/\+/g, "%20");
}

// Hands a signature that came with this page's address to the tab that waits for it; false when there is none.
export function handOver() {
  const answer = new URLSearchParams(location.hash.slice(1));
  const [id, jws] = [answer.get("id"), answer.get("signed")];
  if (!id || !jws) return false;
  // The signature stays neither in the history nor in the address.
  history.replaceState(null, "", location.pathname + location.search);
  const channel = new BroadcastChannel(channelName);
  const over = (text) => {
    clear();
    channel.close();
    clearTimeout(timer);
    heading(text, t("signIn.mayClose"));
  };
  const timer = setTimeout(() => over(t("signIn.nobodyWaits")), 3000);
  channel.onmessage = ({ data }) => { if (data?.taken === id) over(t("signIn.handedOver")); };
  channel.postMessage({ id, jws });
  return true;
}
