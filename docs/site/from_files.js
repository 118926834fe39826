// Search for pages that were opened as files: a browser then neither fetches the index nor starts a worker.
// The index comes as a script that build.sh makes, and the worker runs in a frame of the page.
if (location.protocol === "file:") {
    const here = document.currentScript.src;
    document.write('<script src="' + new URL("search_index.js", here) + '"></' + "script>");

    window.Worker = class extends EventTarget {
        constructor(url) {
            super();
            const frame = document.createElement("iframe");
            frame.hidden = true;
            document.body.appendChild(frame);
            const scope = frame.contentWindow;
            // Whoever runs in the frame answers the page.
            scope.postMessage = data => setTimeout(() => this.dispatchEvent(new MessageEvent("message", {data})));
            this.deliver = data => scope.dispatchEvent(new scope.MessageEvent("message", {data}));
            this.ready = new Promise(loaded => {
                const script = scope.document.createElement("script");
                script.src = url;
                script.onload = loaded;
                scope.document.body.appendChild(script);
            });
        }
        postMessage(data) {
            this.ready.then(() => this.deliver(data));
        }
        terminate() {}
    };
}
