const lit = (within, names, on) => within.querySelectorAll("[data-a]").forEach((e) => {
  const hit = on && e.dataset.a.split(" ").some((n) => names.includes(n));
  e.classList.toggle("lit", hit);
});
const point = (on) => (event) => {
  const at = event.target.closest && event.target.closest("[data-a]");
  if (at) lit(at.closest("section"), at.dataset.a.split(" "), on);
};
for (const name of ["mouseover", "focusin"]) document.addEventListener(name, point(true));
for (const name of ["mouseout", "focusout"]) document.addEventListener(name, point(false));
document.querySelectorAll("button.copy").forEach((button) => {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const text = button.previousElementSibling.textContent;
    try { await navigator.clipboard.writeText(text); } catch {
      const area = document.createElement("textarea");
      area.value = text; document.body.append(area); area.select(); document.execCommand("copy"); area.remove();
    }
    button.textContent = "Copied"; setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
});
