/** The fields of a form that is sent, read by this page instead of the browser. */
export function readForm(event: Event): { readonly form: FormData; readonly read: (name: string) => string } {
  event.preventDefault();
  const form = new FormData(event.currentTarget as HTMLFormElement);
  return { form, read: (name) => String(form.get(name) ?? "").trim() };
}
