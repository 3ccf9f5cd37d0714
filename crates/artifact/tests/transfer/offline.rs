//! Bundles carry an artifact and its images to another registry.

use kelson_artifact::{
    Content, CopyOptions, Form, Mapping, PullOptions, Reference, Selector, Watch, bundle,
    pack_objects, pull, restore,
};

use super::support::*;

#[tokio::test]
async fn a_bundle_brings_artifact_and_images_elsewhere() {
    let (client, folder) = (client(), Folder::new());
    // Any artifact can play the image.
    let image = repository(&client, "offline/image");
    let pixels = pack_objects("pixels: 1\n", Form::Kustomizer, &metadata(), &[]).unwrap();
    let digest =
        pixels.push(&image, &tags(&["v1"]), &Watch::default()).await.unwrap().descriptor.digest;
    let by_tag = format!("{}/offline/image:v1", host());
    let by_digest = format!("{}/offline/image@{digest}", host());
    let objects = OBJECTS.replace("IMAGE", &by_tag) + &OBJECTS.replace("IMAGE", &by_digest);
    let shop = repository(&client, "offline/shop");
    let packed = pack_objects(&objects, Form::Flux, &metadata(), &[]).unwrap();
    packed.push(&shop, &tags(&["v1"]), &Watch::default()).await.unwrap();
    let images: Vec<Reference> =
        [&by_tag, &by_digest, &by_tag].iter().map(|name| Reference::image(name).unwrap()).collect();

    for name in ["bundle", "bundle.tar"] {
        let (layout, options) = (folder.layout(name), CopyOptions::default());
        let bundled =
            bundle(&shop, &named(&shop, "v1"), &images, &client, &layout, &tags(&["v1"]), &options)
                .await
                .unwrap();
        assert_eq!(bundled.images.len(), 2);
        assert_eq!(layout.names().await.unwrap(), [by_tag.as_str(), &by_digest, "v1"]);

        let prefix = format!("{}/{}", host(), name.replace('.', "/"));
        let source = Reference { tag: Some("v1".to_owned()), ..reference(&folder, name) };
        let to: Reference = format!("oci://{prefix}/shop:v1").parse().unwrap();
        let plain = restore(&layout, &source, &to, &prefix, None, &client, &options).await.unwrap();
        assert_eq!(plain.artifact.digest, packed.manifest.descriptor.digest);
        let moved = |name: &str| name.replace(&host(), &prefix);
        let expected = [&by_tag, &by_digest].map(|name| (name.clone(), moved(name)));
        assert_eq!(plain.images, Mapping(expected.into()));
        let restored = repository(&client, &format!("{}/offline/image", name.replace('.', "/")));
        let found = restored.resolve(&Selector::Tag("v1".to_owned())).await.unwrap();
        assert_eq!(found.digest, digest);

        let change = |text: &str, images: &Mapping| {
            let change =
                |text: String, name: &String| text.replace(name, images.find(name).unwrap());
            Ok([&by_tag, &by_digest].into_iter().fold(text.to_owned(), change))
        };
        let rewritten = restore(&layout, &source, &to, &prefix, Some(&change), &client, &options)
            .await
            .unwrap();
        assert_ne!(rewritten.artifact.digest, plain.artifact.digest);
        let place = repository(&client, &format!("{}/shop", name.replace('.', "/")));
        let pulled = pull(&place, &named(&place, "v1"), &PullOptions::default()).await.unwrap();
        assert_eq!(pulled.content, Content::Objects(moved(&objects).into()));
        assert_eq!(
            pulled.manifest.annotations["org.opencontainers.image.source"],
            "https://git.example.com/shop.git"
        );
    }
}

fn reference(folder: &Folder, name: &str) -> Reference {
    Reference { place: folder.store(name).place(), tag: None, digest: None }
}
