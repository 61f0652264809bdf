(function () {
  var place = document.getElementById("webAuthnOutcome");
  if (!place || !place.parentNode) { return; }
  var note = document.createElement("p");
  note.setAttribute("role", "status");
  note.textContent = "Waiting for your security key or device …";
  place.parentNode.insertBefore(note, place);
})();
