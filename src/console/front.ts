/** Put the address of this endpoint into the example, so that it can be pasted as it stands. */
for (const place of document.querySelectorAll("[data-origin]")) place.textContent = location.origin;
