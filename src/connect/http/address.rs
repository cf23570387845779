//! The addresses of a server and of the proxy before it.

use http::Uri;
use reqwest::Url;

/// The address that a `url` is, or what is wrong with it.
pub(super) fn of_server(url: &str) -> Result<Url, String> {
    let wrong = "\"url\" isn't an http or https address";
    // The error says what is wrong and quotes nothing.
    let url = Url::parse(url).map_err(|error| format!("{wrong}: {error}"))?;
    if matches!(url.scheme(), "http" | "https") && url.has_host() { Ok(url) } else { Err(wrong.to_owned()) }
}

/// The variable that names the proxy for this address, if its value can't be used: such a one is ignored or fails with no
/// word of it. `variable` gives the value of a variable.
pub(super) fn unusable_proxy(url: &Url, variable: impl Fn(&str) -> Option<String>) -> Option<&'static str> {
    const ALL: [&str; 2] = ["ALL_PROXY", "all_proxy"];
    let own = match url.scheme() {
        "https" => ["HTTPS_PROXY", "https_proxy"],
        _ => ["HTTP_PROXY", "http_proxy"],
    };
    let (name, value) =
        own.into_iter().chain(ALL).find_map(|name| Some((name, variable(name).filter(|value| !value.is_empty())?)))?;
    (!is_usable(&value)).then_some(name)
}

/// Whether this is the address of an HTTP proxy; without a scheme it counts as one.
fn is_usable(value: &str) -> bool {
    value.parse::<Uri>().is_ok_and(|address| {
        address.authority().is_some() && matches!(address.scheme_str(), None | Some("http" | "https"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_an_address_is_said() {
        for (url, part) in
            [("http://host:99999/mcp", "port"), ("http://[bad", "IPv6"), ("ftp://host/", "isn't an http")]
        {
            assert!(of_server(url).is_err_and(|cause| cause.contains(part)), "{url}");
        }
    }

    #[test]
    fn a_proxy_that_cannot_be_used_is_known_by_the_name_of_its_variable() {
        let found = |url: &str, name: &str, value: &str| {
            let url = Url::parse(url).expect("an address");
            unusable_proxy(&url, |asked| (asked == name).then(|| value.to_owned()))
        };
        for value in ["http://[bad", "ftp://127.0.0.1:1", "socks5://user:password@127.0.0.1:1", "/", "a b"] {
            assert_eq!(found("http://host/", "HTTP_PROXY", value), Some("HTTP_PROXY"), "{value}");
            assert_eq!(found("https://host/", "all_proxy", value), Some("all_proxy"), "{value}");
            assert_eq!(found("https://host/", "http_proxy", value), None, "{value}");
        }
        for value in ["http://user:password@127.0.0.1:1", "https://host", "127.0.0.1:3128", ""] {
            assert_eq!(found("http://host/", "http_proxy", value), None, "{value}");
        }
    }
}
