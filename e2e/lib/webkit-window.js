// A browser for WebKitWebDriver: windows of WebKitGTK, and a profile in a
// folder. MiniBrowser keeps everything in memory when it is automated.
//
//   gjs -m webkit-window.js <profile>

import GLib from "gi://GLib";
import Gtk from "gi://Gtk?version=3.0";
import WebKit from "gi://WebKit2?version=4.1";

const [profile] = ARGV;

Gtk.init(null);
const context = new WebKit.WebContext({
  website_data_manager: new WebKit.WebsiteDataManager({
    base_data_directory: GLib.build_filenamev([profile, "data"]),
    base_cache_directory: GLib.build_filenamev([profile, "cache"]),
  }),
});
context.set_automation_allowed(true);
context.connect("automation-started", (_, session) => {
  session.connect("create-web-view", open);
  session.connect("will-close", () => Gtk.main_quit());
});

// What a page reports as broken, for the tests to read.
const watch = `
  globalThis.sandtableTrouble = [];
  addEventListener("error", ({ error, message }) => sandtableTrouble.push(String(error ?? message)));
  addEventListener("unhandledrejection", ({ reason }) => sandtableTrouble.push(String(reason)));
`;

function open() {
  const content = new WebKit.UserContentManager();
  content.add_script(new WebKit.UserScript(watch, WebKit.UserContentInjectedFrames.TOP_FRAME, WebKit.UserScriptInjectionTime.START, null, null));
  // Test machines have no graphics card. Imitating one costs more than all the rest.
  const settings = new WebKit.Settings({ hardware_acceleration_policy: WebKit.HardwareAccelerationPolicy.NEVER });
  const view = new WebKit.WebView({ web_context: context, user_content_manager: content, settings, is_controlled_by_automation: true });
  const window = new Gtk.Window({ default_width: 1280, default_height: 800 });
  window.add(view);
  window.show_all();
  view.connect("close", () => window.destroy());
  view.connect("web-process-terminated", (_, reason) => printerr(`WebKit's web process has ended: reason ${reason} of WebKit.WebProcessTerminationReason`));
  return view;
}

Gtk.main();
