/* Light or dark before anything is drawn; without a choice it is what the system says. */
(function () {
  try {
    var chosen = localStorage.getItem("scant:theme");
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  } catch (error) {
    /* Storage is not allowed: the system's choice stays. */
  }
})();
