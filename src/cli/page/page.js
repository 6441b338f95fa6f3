// The page: what it is of, light or dark, and the way from a folder to a sound and back.

function chooseTheme(button) {
  const root = document.documentElement, system = matchMedia("(prefers-color-scheme: dark)");
  const set = (dark) => {
    root.dataset.theme = dark ? "dark" : "light";
    button.textContent = dark ? "Light" : "Dark";
  };
  set(system.matches);
  system.addEventListener("change", () => set(system.matches));
  button.addEventListener("click", () => set(root.dataset.theme !== "dark"));
}

function showFolder(index, main, title, part) {
  const gallery = new Gallery(index, part);
  let scrolled = 0;
  const show = () => {
    const asked = /^#sound-(\d+)$/.exec(location.hash), i = asked ? +asked[1] - 1 : -1;
    if (!(i >= 0 && i < index.sounds.length)) {
      title.textContent = index.title;
      main.replaceChildren(gallery.element);
      window.scrollTo(0, scrolled);
      return;
    }
    if (main.firstChild === gallery.element) scrolled = window.scrollY;
    const at = gallery.order.indexOf(i), go = (to) => (to === undefined ? null : () => { location.hash = `#sound-${to + 1}`; });
    const button = (text, to) => make("button", { type: "button", onclick: go(to) ?? (() => {}), disabled: to === undefined }, text);
    title.textContent = index.sounds[i].name;
    main.replaceChildren(make("div", { class: "tools" },
      make("button", { type: "button", onclick: () => { location.hash = ""; } }, "\u2190 All sounds"),
      button("Previous", at > 0 ? gallery.order[at - 1] : undefined),
      button("Next", at >= 0 ? gallery.order[at + 1] : undefined)), soundView(part(i), index.palette));
    window.scrollTo(0, 0);
  };
  window.addEventListener("hashchange", show);
  window.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && location.hash && event.target.tagName !== "INPUT") location.hash = "";
  });
  show();
}

document.addEventListener("DOMContentLoaded", () => {
  const find = (id) => document.getElementById(id), main = find("main"), title = find("title");
  chooseTheme(find("theme"));
  const index = JSON.parse(find("index").textContent), parts = document.querySelectorAll("script.part");
  const part = (i) => JSON.parse(parts[i].textContent);
  title.textContent = index.title;
  find("foot").textContent = `Made by ${index.made_by}.`;
  if (index.kind === "folder") showFolder(index, main, title, part);
  else if (index.kind === "sound") main.replaceChildren(soundView(part(0), index.palette));
  else main.replaceChildren(deviceView(index, part(0)));
});
