// What all pages can do with scripts, and do without: times where the reader is, and a form that is not sent twice.
const format = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
function showTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const date = new Date(time.dateTime);
    if (Number.isNaN(date.getTime())) continue;
    time.title = time.textContent;
    time.textContent = format.format(date);
  }
}
showTimes(document);
document.addEventListener("sealring:added", (event) => showTimes(event.target));

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.dataset.sent) return event.preventDefault();
  form.dataset.sent = "true";
});

// Back from the next page the form may be sent again.
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
});

// On a phone the navigation is one row that scrolls: where the reader is comes into view.
document.querySelector(".tabs a[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });

for (const button of document.querySelectorAll("button[data-copy]")) {
  const source = document.getElementById(button.dataset.copy);
  if (!source || !navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(source.innerText);
    button.textContent = button.dataset.done;
  });
}

for (const button of document.querySelectorAll("button[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => print());
}

// The text of a chosen file goes into the form's own field.
for (const input of document.querySelectorAll("input[data-text-to]")) {
  input.parentElement.hidden = false;
  input.addEventListener("change", async () => {
    const file = input.files[0];
    if (file) document.getElementById(input.dataset.textTo).value = await file.text();
  });
}

document.getElementById("problem")?.scrollIntoView({ block: "nearest" });
