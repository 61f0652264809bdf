// Requests to the journey server, and what the page's address asks for.

export const query = new URLSearchParams(location.search);
export const realm = query.get("realm") || "/";
export const journey = query.get("authIndexValue") || query.get("service");

function endpoint(resource) {
  const names = realm.split("/").filter((name) => name && name !== "root").map(encodeURIComponent);
  return "../json/realms/root" + names.map((name) => "/realms/" + name).join("") + "/" + resource;
}

// The answer: its status, its JSON, and after how many seconds a server that is busy wants to be asked again.
export async function post(resource, body, version) {
  const answer = await fetch(endpoint(resource), {
    method: "POST", credentials: "same-origin", cache: "no-store",
    headers: { "Content-Type": "application/json", "Accept-API-Version": version },
    body: JSON.stringify(body),
  });
  const json = await answer.json().catch(() => ({}));
  return { status: answer.status, json, retryAfter: Number(answer.headers.get("Retry-After")) || 5 };
}

export const signOut = () => post("sessions?_action=logout", {}, "resource=4.0");

// Where the person goes after signing in. Only within this server, because nobody may send people elsewhere in its name.
export function destination() {
  const goto = query.get("goto");
  if (!goto) return null;
  try {
    const target = new URL(goto, location.href);
    const isWeb = target.protocol === "https:" || target.protocol === "http:";
    return isWeb && target.origin === location.origin ? target : null;
  } catch {
    return null;
  }
}
